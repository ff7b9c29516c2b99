"""What other programs are told: written with what happens, delivered in order, again and again."""
