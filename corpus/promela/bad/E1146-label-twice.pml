init { L: skip; L: skip; goto L }
