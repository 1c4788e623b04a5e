"""A second reader of English messages, optional: a language model fills the parser's columns (docs/language.md)."""
