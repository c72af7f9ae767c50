package threadping.probe.crew;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadping.probe.Requests.HOUR;
import static threadping.probe.Requests.MS;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import threadping.probe.Requests;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.toy.Toy;

/**
 * What both leads are made of: the route, orders that wait for the members, and the order in which
 * things happen. The two members are played by the test.
 */
@Timeout(60)
class LeadTest {
  private final Request wanted = Requests.brief(Toy.experiment(Request.Unit.NS), null, null);
  private final Result result = new Result(List.of("left", "right"));
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  LeadTest() {
    Requests.warmUp(wanted, 2, 5, 0);
    wanted.boundNs = HOUR;
    wanted.measureNs = MS;
    result.threads.forEach(thread -> thread.cpusStart = List.of(0));
  }

  private Loops logging() {
    return new NoWork() {
      @Override
      public void warmedUp() {
        log.add("warmed up");
      }

      @Override
      public void begin() {
        log.add("begin");
      }
    };
  }

  /** Makes visits of ten operations and logs what it does. */
  private class Bare extends Lead {
    private long ops;

    Bare() {
      super(new Scene(wanted, logging(), result), null);
    }

    @Override
    void idle() {
      Thread.yield();
    }

    @Override
    boolean warmUp(long endNs) {
      return visited("warm-up");
    }

    @Override
    boolean fit(long endNs) {
      log.add("fit");
      return true;
    }

    @Override
    boolean visit(int line, int step) {
      return visited("visit " + step);
    }

    private boolean visited(String what) {
      log.add(what);
      ops += 10;
      scene.boards[0].ops = ops;
      LockSupport.parkNanos(MS / 3);
      return scene.goesOn();
    }
  }

  @Test
  void givesTheNextOrderWhenAllHaveObeyedTheOneBefore() {
    wanted.boundNs = MS;
    Bare hasty = new Bare();
    assertTrue(hasty.give(0, 1, 1, 0));
    hasty.scene.boards[0].obeyed = 1;
    assertFalse(hasty.give(0, 1, 1, 0)); // the second has not read the first
    assertEquals(1, hasty.scene.orders.latest().number);
    hasty.scene.boards[1].obeyed = 1;
    assertTrue(hasty.give(0, 1, 1, 0));
    assertEquals(2, hasty.scene.orders.latest().number);
  }

  /** Obeys for both members until it is told to leave, and logs whatever it is to read. */
  private Thread members(Scene scene) {
    Order first = scene.orders.latest();
    Thread members =
        new Thread(
            () -> {
              Order order = first;
              while (order.kind != Order.Kind.LEAVE) {
                if (order == scene.orders.latest()) {
                  Thread.yield();
                  continue;
                }
                order = scene.orders.latest();
                for (Board board : scene.boards) {
                  board.obeyed = order.number;
                }
                if (order.kind != Order.Kind.REST && order.kind != Order.Kind.WORK) {
                  LockSupport.parkNanos(MS);
                  log.add(order.kind.name());
                }
                for (Board board : scene.boards) {
                  board.finished = order.number;
                }
              }
            });
    members.start();
    return members;
  }

  /**
   * What is slow to read is read before and after what is quick, and nothing is performed until all
   * have read theirs.
   */
  @Test
  void hasAllCountersReadBeforeAndAfterTheVisits() throws Exception {
    Bare lead = new Bare();
    Thread members = members(lead.scene);
    assertTrue(lead.run());
    lead.scene.orders.leave();
    members.join();

    int visits = log.size() - 12;
    assertTrue(visits >= 1, visits + " visits");
    List<String> expected =
        new ArrayList<>(
            List.of(
                "OPEN",
                "LOOK",
                "LOOK",
                "warm-up",
                "warmed up",
                "fit",
                "PREPARE",
                "begin",
                "BEGIN"));
    IntStream.range(0, visits).forEach(visit -> expected.add("visit " + visit));
    expected.addAll(List.of("END", "FINISH", "LEAVE"));
    assertEquals(expected, log);
    assertTrue(result.warmUpComplete);
    assertTrue(result.warmUpNs >= MS / 3);
    assertEquals(10 * visits, result.measuredOps);
    assertTrue(result.measuredNs >= wanted.measureNs);
  }

  @Test
  void endsWhenThereIsRoomForNoMoreWindows() throws Exception {
    wanted.measureNs = HOUR;
    Bare lead =
        new Bare() {
          @Override
          boolean visit(int line, int step) {
            result.windows.count = Lead.MOST_WINDOWS - 1 + step;
            return super.visit(line, step);
          }
        };
    Thread members = members(lead.scene);
    assertTrue(lead.run());
    lead.scene.orders.leave();
    members.join();
    assertEquals("visit 1", log.get(log.size() - 4)); // before END, FINISH and LEAVE
  }

  @Test
  void measuresNothingWhenAMemberHasFailed() throws Exception {
    Requests.warmUp(wanted, 3, 5, 0);
    Bare lead = new Bare();
    lead.scene.fail(new IllegalStateException("Why."));
    lead.scene.fail(new IllegalStateException("This followed."));
    assertFalse(lead.run());
    assertEquals(List.of(), log);
    assertFalse(result.warmUpComplete);
    assertEquals("Why.", lead.scene.failure().getMessage());
  }

  @Test
  void aWarmUpThatMadeTooFewOperationsIsIncomplete() throws Exception {
    Requests.warmUp(wanted, 3, 5, 0);
    Bare lead = new Bare();
    Thread members = members(lead.scene);
    assertTrue(lead.run());
    lead.scene.orders.leave();
    members.join();
    assertFalse(result.warmUpComplete); // ten of fifteen
  }

  private List<Integer> route(long seed) {
    wanted.lines = 256;
    wanted.seed = seed;
    Bare lead = new Bare();
    return IntStream.range(0, 512).mapToObj(lead::line).collect(Collectors.toList());
  }

  @Test
  void goesToEveryLineInAnOrderOfTheSeedAgainAndAgain() {
    List<Integer> lines = route(7);
    List<Integer> round = lines.subList(0, 256);
    assertEquals(256, new HashSet<>(round).size());
    assertEquals(round, lines.subList(256, 512));
    assertNotEquals(round.stream().sorted().collect(Collectors.toList()), round);
    assertEquals(lines, route(7));
    assertNotEquals(lines, route(8));
  }
}
