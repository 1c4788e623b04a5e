"""The statistics behind the claims: likelihoods, small samples, intervals and paired tests."""
