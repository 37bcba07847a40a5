"""Controls and figures that several pages share."""
