"""Does what the study finds depend on what was chosen? VPS under other constants, and other notions of excess cost."""
