"""How results look. The only room that knows rich."""
