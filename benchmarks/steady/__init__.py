"""steady: do trials drift more than a hand-written baseline?"""
