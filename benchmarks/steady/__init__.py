"""steady: do trials drift more than a bare loop does?"""
