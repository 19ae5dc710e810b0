"""A silo in CoDef: it joins, answers under its lease, commits, masks its counts, is leased anew."""
