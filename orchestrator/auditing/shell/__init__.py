"""Reader of shell text: a tree with positions, and what each word becomes on a platform."""
