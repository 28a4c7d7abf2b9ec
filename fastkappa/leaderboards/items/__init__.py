"""Many columns counted against one."""
