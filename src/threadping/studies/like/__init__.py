"""What a number of another tool means here: our cases that repeat its protocol, by its rules and by ours."""
