"""The ways out of an approved reply, against real servers on this machine."""
