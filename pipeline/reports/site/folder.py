"""What a site's folder holds."""

MANIFEST = "made.json"
PAGES = ("index.html", "games.html", "compare.html")
