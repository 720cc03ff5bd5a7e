typedef Point { byte x; byte y };
Point p, q;
init { p = q }
