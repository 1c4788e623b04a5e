"""Reading English: what a message claims of whose slot, to the character (Appendix H.3)."""
