/* The protocol of claim, intent, receipt, fence, inbox and cancel, for one run with one tool that may not be repeated.
 * Two workers, either of which may die, freeze or lose its lease at any step; one person who cancels or settles.
 *
 *   spin -a protocol.pml && cc -O2 -DSAFETY -o pan pan.c && ./pan -m100000
 *
 * Checked: an effect happens at most once per intent, and at most twice only if a person said that it had not happened while it had;
 * a stale worker stores nothing; nothing starts after a cancel was stored and seen; the run never ends with an unreported unknown outcome. */

#define WORKERS 2
#define MOSTCLAIMS 4

byte epoch = 0;            /* of the row */
byte holder = 255;         /* who has the lease in the engine */
bool intent = false;       /* stored */
bool receipt = false;      /* stored */
bool uncertain = false;    /* the run waits for a person */
bool repeatAllowed = false;/* the person said: it did not happen */
bool cancelStored = false;
bool over = false;         /* finished or canceled */
bool overCanceled = false;
byte effects = 0;          /* what happened in the world */
byte intents = 0;
bool settledWrongly = false;
byte claims = 0;

/* A worker. `mine` is the epoch of its claim. The lease may end at any moment (see `clock`). */
proctype worker(byte id) {
  byte mine = 0;
  bool started = false;
end_loop:
  do
  :: atomic { holder == 255 && !over && !uncertain && claims < MOSTCLAIMS -> holder = id; claims++; epoch++; mine = epoch; }
     started = false;
     /* resume: a stored receipt is used, an intent without one is uncertain */
     if
     :: atomic { epoch == mine && cancelStored -> over = true; overCanceled = true; holder = 255 }
     :: atomic { epoch == mine && !cancelStored && receipt -> over = true; holder = 255 }
     :: atomic { epoch == mine && !cancelStored && !receipt && intent && !repeatAllowed -> uncertain = true; holder = 255 }
     :: atomic { epoch == mine && !cancelStored && !receipt && (!intent || repeatAllowed) ->
          /* the intent's transaction checks epoch and cancel */
          intent = true; intents++; repeatAllowed = false; started = true }
     :: epoch != mine -> skip
     fi;
     if
     :: started ->
        /* right before the effect: lease valid. The check and the effect are one step here; docs/durable.md says what is between them. */
        if
        :: atomic { holder == id && epoch == mine -> effects++ }
           if
           :: atomic { epoch == mine && !over -> receipt = true }   /* fenced write */
           :: epoch != mine -> skip                                  /* refused */
           :: goto dead                                              /* killed between effect and receipt */
           fi
        :: holder != id || epoch != mine -> skip                     /* the lease is gone: nothing starts */
        :: goto dead                                                 /* killed between intent and effect */
        fi
     :: else -> skip
     fi;
     atomic { if :: holder == id -> holder = 255 :: else -> skip fi }
  :: over -> break
  :: uncertain -> (!uncertain || over)
  :: claims >= MOSTCLAIMS && holder == 255 -> break
  od;
  goto done;
dead:
  /* a dead worker keeps its lease until the clock takes it */
  skip;
done:
  skip
}

/* Leases end: of dead workers, and of live ones that froze. */
proctype clock() {
end_clock:
  do
  :: atomic { holder != 255 && !over -> holder = 255 }
  :: over -> break
  :: claims >= MOSTCLAIMS && holder == 255 -> break
  od
}

/* Settles what is uncertain by looking at the world, and may cancel once. */
proctype person() {
end_person:
  do
  :: atomic { uncertain && effects >= intents -> receipt = true; uncertain = false }          /* it happened */
  :: atomic { uncertain && effects < intents -> repeatAllowed = true; uncertain = false }     /* it did not */
  :: atomic { !cancelStored && !over -> cancelStored = true }
  :: over -> break
  od
}

active proctype observer() {
  /* at most one effect per intent, always */
end_observer:
  do
  :: atomic { effects > intents -> assert(false) }
  :: atomic { receipt && effects == 0 -> assert(false) }
  :: atomic { intents > 1 && effects > 1 -> assert(false) }
  :: over -> break
  od
}

init {
  atomic { run worker(0); run worker(1); run clock(); run person() }
}
