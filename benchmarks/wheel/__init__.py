"""Does the probe in a wheel measure what one built for this CPU does?"""
