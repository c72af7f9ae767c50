package threadping.probe.platform;

/**
 * Room before the fields of a subclass: as much as two adjacent lines hold ({@link
 * Lines#LINE_PAIR}). The virtual machine lays a superclass's fields out first. What is between two
 * of them, one a subclass of the other's, shares no line pair with anything outside.
 */
public abstract class LinePair {
  long before0, before1, before2, before3, before4, before5, before6, before7;
  long before8, before9, before10, before11, before12, before13, before14, before15;
}
