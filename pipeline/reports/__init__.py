"""What people look at: plots, views of a game, executed notebooks, batch reports, the site, built documents."""
