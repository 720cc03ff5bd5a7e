active proctype P() { again: goto again }
