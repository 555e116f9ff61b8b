import type { ChainFacts } from "#test/bench/peers/readChain.ts";

/** What a peer's process gets. */
export type PeerWorld = {
	/** The folder of its packages and project files. */
	folder: string;
	rpcUrl: string;
	socketDir: string;
	database: string;
	chain: ChainFacts;
};

/** A process: its command, where it runs, and its environment besides PATH and HOME. */
export type PeerCommand = { args: readonly string[]; cwd: string; env: Record<string, string> };

/** Another program, measured as we are. */
export type Peer = {
	/** Its name in `--only`. */
	name: string;
	/** Its title in the table, with its version. */
	title: string;
	/** Its folder below `projects`. */
	project: string;
	/** Runs before the clock starts: generates code. */
	build?: (world: PeerWorld) => PeerCommand;
	command: (world: PeerWorld) => PeerCommand;
	/** Returns one row with `done`: everything is stored. `$1` is the newest block, `$2` all rows. */
	doneSql: string;
	/** Returns one row of sums, each named as in `ChainFigures`. */
	figuresSql: string;
};
