/* The protocol of claim, intent, receipt, checkpoint, decision, message and cancel, for one run with one tool that needs an approval and may not be
 * repeated. Two workers, whose processes die up to three times between any two steps and start again, freeze, or lose the lease; one person who
 * approves, settles by a look at the world, and cancels; one caller whose message began the run; deployments that take the version of the run away for a
 * while.
 *
 *   spin -a protocol.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan -m100000
 *
 * Checked: the effect happens once, and not before somebody approved it; each start of the call is permitted by a decision of its own; nothing is
 * denied by nobody; a stale worker stores nothing; a receipt belongs to an effect; the run never ends with an unreported unknown outcome. */

#define MOSTCLAIMS 7
#define MOSTDEATHS 3
#define MOSTDEPLOYMENTS 1

#define NOTHING 0
#define APPROVAL 1
#define OUTCOME 2

#define APPROVE 1
#define HAPPENED 2
#define REPEAT 3

/* The row of the run. */
byte epoch = 0;
bool held = false;           /* a lease that has not ended */
byte checks = 0;             /* checkpoints so far */
byte asks = NOTHING;         /* what the checkpoint asks a person */
bool read = false;           /* the checkpoint says that the run has read the message which began it */
bool cancelStored = false;
bool over = false;
bool overCancelled = false;
/* Its journal since the checkpoint. */
bool intent = false;
bool receipt = false;
/* The inbox: one decision, bound to the checkpoint that asked. */
byte mail = 0;
byte about = 0;

/* The world, and what really was decided. */
byte effects = 0;
byte intents = 0;
byte permits = 0;            /* approvals, and answers that the call did not happen */
bool denied = false;
byte claims = 0;
byte deaths = 0;
bool served = true;          /* a process of the version that began the run is there */
byte deployments = 0;

#define ISMINE (epoch == mine && !over)
#define DECIDED (mail != 0 && about == checks)

/* What is stored in one transaction is one atomic step. After each of them the process may die. */
inline mayDie() {
  if
  :: atomic { deaths < MOSTDEATHS -> deaths++; mine = 255; goto start }
  :: skip
  fi
}

proctype worker() {
  byte mine = 255;
start:
end_start:
  do
  :: over -> break
  :: atomic { !held && !over && served && claims < MOSTCLAIMS && (checks == 0 || DECIDED || intent || receipt || cancelStored || !read) ->
       held = true; claims++; epoch++; mine = epoch }
     mayDie();
     if
     :: atomic { !ISMINE -> skip }
     :: atomic { ISMINE && cancelStored -> over = true; overCancelled = true; held = false }
     /* the first checkpoint: the message is read, and the call needs an approval */
     :: atomic { ISMINE && !cancelStored && checks == 0 -> checks = 1; asks = APPROVAL; read = true; held = false }
     /* a message that was not read is taken for an answer, which closes what waits */
     :: atomic { ISMINE && !cancelStored && checks > 0 && !read -> denied = true; over = true; held = false }
     :: atomic { ISMINE && !cancelStored && read && receipt -> over = true; held = false }
     /* an intent without a receipt: the next checkpoint asks, and uses up the decision */
     :: atomic { ISMINE && !cancelStored && read && !receipt && intent -> checks++; asks = OUTCOME; intent = false; mail = 0 }
        mayDie();
        atomic { if :: ISMINE -> held = false :: else -> skip fi }
     :: atomic { ISMINE && !cancelStored && read && !receipt && !intent && DECIDED && mail == HAPPENED && asks == OUTCOME ->
          receipt = true; over = true; held = false }
     :: atomic { ISMINE && !cancelStored && read && !receipt && !intent && DECIDED && mail != HAPPENED ->
          intent = true; intents++ }
        mayDie();
        /* right before the effect: lease valid. The check and the effect are one step here; docs/durable.md says what is between them. */
        if
        :: atomic { held && epoch == mine -> effects++ }
           mayDie();
           atomic { if :: ISMINE -> receipt = true :: else -> skip fi } /* fenced write */
           mayDie();
           atomic { if :: ISMINE -> held = false :: else -> skip fi }
        :: atomic { !(held && epoch == mine) -> skip }
        fi
     :: atomic { ISMINE && !cancelStored && read && !receipt && !intent && !DECIDED && checks > 0 -> held = false }
     fi;
     mine = 255
  :: claims >= MOSTCLAIMS && !held -> break
  od
}

/* Leases end: of dead workers, and of live ones that froze. */
proctype clock() {
end_clock:
  do
  :: atomic { held && !over -> held = false }
  :: over -> break
  :: claims >= MOSTCLAIMS && !held -> break
  od
}

/* Takes the version of the run away and brings it back: the run waits, and nothing is stored for that. A worker that holds it may still be at work. */
proctype deployment() {
end_deployment:
  do
  :: atomic { served && deployments < MOSTDEPLOYMENTS && !over -> served = false; deployments++ }
  :: atomic { !served -> served = true }
  :: over -> break
  :: deployments >= MOSTDEPLOYMENTS && served -> break
  od
}

/* Reads what the checkpoint asks, and decides about that one later: by then it may be another. May cancel once. */
proctype person() {
  byte seen = 0;
  byte asked = NOTHING;
end_person:
  do
  :: atomic { asks != NOTHING && !held && !DECIDED -> seen = checks; asked = asks }
  :: atomic { seen != 0 && seen == checks && !DECIDED && !over && !cancelStored && asked == APPROVAL ->
       mail = APPROVE; about = seen; permits++ }
  :: atomic { seen != 0 && seen == checks && !DECIDED && !over && !cancelStored && asked == OUTCOME && effects > 0 ->
       mail = HAPPENED; about = seen }
  :: atomic { seen != 0 && seen == checks && !DECIDED && !over && !cancelStored && asked == OUTCOME && effects == 0 ->
       mail = REPEAT; about = seen; permits++ }
  :: atomic { !cancelStored && !over -> cancelStored = true }
  :: over -> break
  od
}

active proctype observer() {
end_observer:
  do
  :: atomic { effects > 1 -> assert(false) }
  :: atomic { intents > permits -> assert(false) }
  :: atomic { effects > intents -> assert(false) }
  :: atomic { receipt && effects == 0 -> assert(false) }
  :: atomic { denied -> assert(false) }
  :: atomic { over && !overCancelled && effects == 0 -> assert(false) }
  :: over -> break
  od
}

init {
  atomic { run worker(); run worker(); run clock(); run person(); run deployment() }
}
