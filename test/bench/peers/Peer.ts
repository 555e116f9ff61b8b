import type { ChainFacts } from "#test/bench/peers/readChain.ts";

/** What a peer's process is given. */
export type PeerWorld = {
	/** Where its packages and project files are. */
	folder: string;
	rpcUrl: string;
	socketDir: string;
	database: string;
	chain: ChainFacts;
};

/** A process: its command, where it runs, and its environment besides PATH and HOME. */
export type PeerCommand = { args: readonly string[]; cwd: string; env: Record<string, string> };

/** A program next to us, measured as we are. */
export type Peer = {
	/** As `--only` knows it. */
	name: string;
	/** As the table prints it, with its version. */
	title: string;
	/** Folder below `projects`. */
	project: string;
	/** Run before the clock starts: generated code is made. */
	build?: (world: PeerWorld) => PeerCommand;
	command: (world: PeerWorld) => PeerCommand;
	/** One row with `done`: everything is stored. `$1` is the newest block, `$2` all rows. */
	doneSql: string;
	/** One row of sums, each named as in `ChainFigures`. */
	figuresSql: string;
};
