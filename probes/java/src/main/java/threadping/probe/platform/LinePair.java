package threadping.probe.platform;

/**
 * Room before the fields of a subclass: as much as two adjacent lines hold ({@link
 * Lines#LINE_PAIR}). The virtual machine lays a superclass's fields out first. What is between two
 * of them, one a subclass of the other's, shares no line pair with anything outside.
 */
public abstract class LinePair {
  long before0;
  long before1;
  long before2;
  long before3;
  long before4;
  long before5;
  long before6;
  long before7;
  long before8;
  long before9;
  long before10;
  long before11;
  long before12;
  long before13;
  long before14;
  long before15;
}
