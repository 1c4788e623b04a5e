"""The words of the English parser, as data: H.3's five classes, and what stands around them."""
