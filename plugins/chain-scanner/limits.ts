// Lists the limits of the scanner: sizes, waits, and how often something is tried.

/** Blocks of one log query at first, and at most. */
export const WINDOW_BLOCKS_MAX = 1_000;

/** A query with more logs than this halves the window. */
export const LOGS_PER_QUERY_MAX = 10_000;

/** Blocks that may leave the chain, by default; more is an alarm. */
export const REORG_DEPTH_DEFAULT = 128;
/** The least depth that is always repaired, and the most for which headers are kept. */
export const REORG_DEPTH_LEAST = 64;
export const REORG_DEPTH_MOST = 4_096;

/** Blocks of a range within reach of reorgs: each one's header comes with it, in one request. */
export const UNSETTLED_RANGE_MAX = 64;

/**
 * The number of times in a row that receipts which do not explain a block's bloom are read again.
 */
export const PROOFS_REFUSED_MAX = 8;

/** Headers that a search for a fork reads first; nearly every reorg is shallower. */
export const HEADERS_FIRST_ASKED = 16;

/** Runs of stored blocks that a search reads; below each hole is one until it is confirmed. */
export const RUNS_SEEN_MAX = 8;

/**
 * A larger answer about several blocks is refused before it is read, and the window halves.
 * Measured while catching up, both lanes and a range ahead each: unbounded 447 MB, 6 MiB 308, 4 MiB
 * 247, at the same speed.
 */
export const LOG_ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** The size of answer that a window aims at: blocks differ, and a refused answer is wasted. */
export const ANSWER_BYTES_AIM = 0.8 * LOG_ANSWER_BYTES_MAX;

/**
 * The same where calls are scarce, as each range costs five or six. One range is read ahead then,
 * not two, so that as much is in memory.
 */
export const LOG_ANSWER_BYTES_MAX_SCARCE = 1.5 * LOG_ANSWER_BYTES_MAX;
export const ANSWER_BYTES_AIM_SCARCE = 0.8 * LOG_ANSWER_BYTES_MAX_SCARCE;

/**
 * Reads a block of one's own node whole from this many mint transactions on: one call in place of
 * one for each. With three of 25 such a node needed twice the processor for it (measured).
 */
export const WHOLE_BLOCK_FROM = 4;
/**
 * Reads a block whole from this many mint transactions on where calls are billed or limited: there
 * two calls cost more than bytes.
 */
export const WHOLE_BLOCK_FROM_SCARCE = 2;

/**
 * Whole blocks in one request: as many as give about the first size, refused above the second, and
 * at most so many; concurrent requests of one range. The last is the assumed size of a block until
 * some were read.
 */
export const BLOCKS_ANSWER_BYTES_AIM = 2 * 1024 * 1024;
export const BLOCKS_ANSWER_BYTES_MAX = 16 * 1024 * 1024;
export const BLOCKS_ASKED_MAX = 250;
export const BLOCKS_ASKED_AT_ONCE = 2;
/**
 * The same where calls are scarce, for all ranges of a lane together: a request that is refused for
 * the rate leaves as many calls unused as it has.
 */
export const BLOCKS_ASKED_MAX_SCARCE = 16;
export const BLOCKS_ASKED_AT_ONCE_SCARCE = 4;
export const BLOCK_BYTES_AT_FIRST = 128 * 1024;

/**
 * Blocks in one request where a header is read with its whole block, and what their transactions
 * paid that is remembered until a lane needs it: some 5 MB.
 */
export const WHOLE_HEADERS_ASKED_MAX = 16;
export const VALUES_REMEMBERED_MAX = 32_768;

/** A first request of fewer blocks is sent as it is; for more it pays to sample a few. */
export const SAMPLE_WORTH_BLOCKS = 64;
export const SAMPLED_BLOCKS = 3;

/** Full windows after which a width that a provider has ruled out is tried again, at most. */
export const PATIENCE_WINDOWS_MAX = 256;

/** The smallest range; refused `RANGE_FAILURES_MAX` times in a row it is skipped. */
export const WINDOW_BLOCKS_MIN = 1;
export const RANGE_FAILURES_MAX = 5;

/**
 * The first wait where a block alone makes no sense; it doubles, so that the five readings take
 * 6 s, which is longer than nodes need to agree on a new block.
 */
export const ODD_BLOCK_WAIT_MS = 400;

/** Ends one run of a lane after this long, whatever is left, so that others get their turn. */
export const LANE_CEILING_MS = 20_000;

/** How long a lane without work sleeps before it checks its lease again. */
export const IDLE_WAIT_MS = 10_000;

/** Limits how often a lane on a chain without new blocks stores that it is level with the head. */
export const LEVEL_NOTED_MS = 5_000;

/** How often a process without a lane's lease tries to take it. */
export const LEASE_RETRY_MS = 1_000;

/** A lane that is at most this many blocks behind publishes its events one by one. */
export const LIVE_BLOCKS_MAX = 64;

/** How long a lane without events in the newest block lets the others write first. */
export const NOTHING_TO_TELL_MS = 25;

/**
 * Ranges of a lane that are fetched while one is written. Where calls are scarce the next one is
 * requested while one is still read.
 */
export const RANGES_AHEAD = 2;
export const RANGES_AHEAD_SCARCE = 1;

/** Headers that walks remember, with their blooms: a megabyte. */
export const HEADERS_REMEMBERED_MAX = 1_024;

/** Rows in one transaction while a lane catches up. Bounds memory, not correctness. */
export const ROWS_PER_WRITE_MAX = 16_000;

/** Waits between attempts while the RPC is away: doubles from the first to the last. */
export const RETRY_MIN_MS = 50;
export const RETRY_MAX_MS = 5_000;

/** Token ids of one TransferBatch log; a longer list is a lie about its own length. */
export const BATCH_IDS_MAX = 100_000;

/**
 * Ids that become mint rows: of one ConsecutiveTransfer log, and of all such logs of one block. The
 * first is the most that libraries mint in one (ERC721A, OpenZeppelin).
 */
export const CONSECUTIVE_IDS_MAX = 5_000;
export const CONSECUTIVE_IDS_PER_BLOCK_MAX = 10_000;

/** How often backfill looks for a gap while there is none. */
export const BACKFILL_IDLE_MS = 1_000;

/** The default distance below the head from which missing blocks are given up. */
export const LAG_BLOCKS_DEFAULT = 216_000;
/**
 * The least value of that distance: it covers every restart that still continues in order, and
 * chains of 250 ms.
 */
export const LAG_BLOCKS_LEAST = 1_000;
export const LAG_BLOCKS_MOST = 1_000_000_000;

/** How often a command shows its progress: redrawn on a terminal, a line elsewhere. */
export const REDRAW_EVERY_MS = 250;
export const LINE_EVERY_MS = 1_000;

/** Rows in one backfill transaction while blocks come, measured with blocks of 20 sales. */
export const GENTLE_ROWS_PER_WRITE_MAX = 150;
export const GENTLE_ANSWER_BYTES_AIM = 256 * 1024;
/**
 * While no block is likely to come for this long backfill reads and writes as lanes that catch up
 * do, with as many rows in a transaction as fit half of that time.
 */
export const CALM_MS_MIN = 1_000;
export const ROWS_PER_CALM_MS = 20;
/** Says after how many of its longest gaps without a block a chain counts as at rest. */
export const RESTS_AFTER_GAPS = 3;
/**
 * Backfill rests this share of its working time; a busy head may hold it up no longer than this.
 */
export const REST_SHARE = 0.3;
export const REST_MS_MAX = 250;
/**
 * Limits how often one small write begins anew for new blocks; then it is finished, busy head or
 * not.
 */
export const YIELDS_MAX = 3;

/** Gaps between blocks from which the next one is predicted, and how far they may differ. */
export const RHYTHM_GAPS = 9;
export const RHYTHM_SPREAD_MAX = 0.2;
/**
 * The time before and after a block's expected time during which less urgent work waits: as long as
 * a request and a small write beside a live head take, and never most of a fast chain's time.
 */
export const RHYTHM_LEAD_MS = 25;
export const RHYTHM_LEAD_SHARE = 0.25;

/** Limits the age of an answer about a lane's progress. */
export const PROGRESS_AGE_MAX_MS = 1_000;

/** How long backfill leaves a refused block before it is requested again. */
export const REFUSED_REST_MS = 60_000;

/** Failures in a row after which a node that lags or contradicts itself is logged. */
export const INCONSISTENT_BEFORE_WARNING = 4;

/**
 * Limits the moves of one transaction. Each touches a token, two holders and the journal; this many
 * hold the chain's lock for 20 ms (measured).
 */
export const MOVES_PER_WRITE_MAX = 80;

/** Contracts in one log query of the transfer lane. */
export const ADDRESSES_PER_QUERY_MAX = 100;

/** Blocks of one log query of a walk at first, and at most: one contract has few logs. */
export const WALK_BLOCKS_MAX = 1_000_000;

/**
 * Blocks that one round of the search for a contract's first block probes. Three halve the rest
 * twice; more mean fewer rounds, and more calls for each halving.
 */
export const CODE_PROBES = 3;

/** The interval at which a chain's walks look for contracts that should be watched. */
export const WALK_CHOOSE_MS = 1_000;

/** How long walks wait while there is none to do, or while the lanes catch up. */
export const WALK_IDLE_MS = 1_000;

/** The number of blocks after which the transfer lane moves while nothing is watched. */
export const UNWATCHED_STRIDE_BLOCKS = 64;

/** All waits and time limits of a lane, in milliseconds. */
export type LaneTimes = {
	ceilingMs: number;
	idleWaitMs: number;
	levelNotedMs: number;
	leaseRetryMs: number;
	retryMinMs: number;
	retryMaxMs: number;
	oddBlockWaitMs: number;
	backfillIdleMs: number;
	refusedRestMs: number;
	walkIdleMs: number;
	walkChooseMs: number;
};

export const LANE_TIMES: LaneTimes = {
	ceilingMs: LANE_CEILING_MS,
	idleWaitMs: IDLE_WAIT_MS,
	levelNotedMs: LEVEL_NOTED_MS,
	leaseRetryMs: LEASE_RETRY_MS,
	retryMinMs: RETRY_MIN_MS,
	retryMaxMs: RETRY_MAX_MS,
	oddBlockWaitMs: ODD_BLOCK_WAIT_MS,
	backfillIdleMs: BACKFILL_IDLE_MS,
	refusedRestMs: REFUSED_REST_MS,
	walkIdleMs: WALK_IDLE_MS,
	walkChooseMs: WALK_CHOOSE_MS,
};

/** Blocks, logs of one block, and characters of their data, that are kept of pushes for a lane. */
export const PUSHED_BLOCKS_MAX = 8;
export const PUSHED_LOGS_MAX = 2_000;
export const PUSHED_CHARACTERS_MAX = 2_000_000;
/**
 * The time without further pushed logs of a block after which they count as complete; longer where
 * fewer came than the block's bloom indicates. A node sends them one after the other.
 */
export const PUSHED_QUIET_MS = 3;
export const PUSHED_QUIET_PART_MS = 15;
/** How long a lane that requested a block waits for its pushed logs. */
export const PUSHED_WAIT_MS_MAX = 1_000;
/** Limits how long early rows may stay without the node's own answer. */
export const EARLY_MS_MAX = 5_000;

/** Receipts of a range that are read because of a price far above the floor; in one batch. */
export const DEAR_RECEIPTS_MAX = 50;

/**
 * How often logs of contracts that no venue names are sampled; blocks of a sample, and how far
 * below the head they lie; contracts of a chain that a process names.
 */
export const STRANGER_SAMPLE_MS = 3_600_000;
export const STRANGER_SAMPLE_BLOCKS = 16;
export const STRANGER_SAMPLE_BELOW = 16;
export const STRANGERS_NAMED_MAX = 20;
