"""The interactive page: texts from a form, scored by the tools of the catalogue and shaded by what matched."""
