"""What excess cost buys in privacy: protocols with a parameter, their Pareto frontier, and who dominates whom."""
