// Makes one process's view of a database and a bus that fail.

import type { Bus } from "#core/bus.ts";
import type { Database, Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import { sleep } from "#core/time.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";
import type { Tally } from "#test/sim/Tally.ts";

/**
 * What stands between one simulated process and the world: open, shut for a while (the process
 * stalls: nothing of it moves), or dead (nothing it asked is ever answered).
 */
export type Gate = {
	/** Settles when the process may go on; never when it is dead. */
	pass(): Promise<void>;
	/** Rejects when the process dies: for whatever must be taken back then. */
	readonly death: Promise<never>;
	readonly isDead: boolean;
	shut(): void;
	open(): void;
	kill(): void;
};

export type DatabaseKnobs = {
	/** For each statement: it fails before it runs, or after, when nobody knows that it ran. */
	errorRate: number;
	/** For each commit: it does not happen. */
	failedCommitRate: number;
	/** For each commit: it happens, and is reported as failed. */
	lostCommitRate: number;
	delayRate: number;
};

export type SimDatabaseOptions = {
	db: Database;
	gate: Gate;
	knobs: DatabaseKnobs;
	/** Faults stop when it says so. */
	faults: { active: boolean };
	prng: Prng;
	tally: Tally;
	/** Looks at a transaction before its commit, still inside it. */
	beforeCommit(tx: Tx, statements: readonly Statement[]): Promise<void>;
};

export type Statement = { text: string; values: readonly SqlValue[] };

class ProcessKilled extends Error {}

const DELAY_MS_MAX = 4;

/**
 * One process's view of a real database. Statements fail before or after they ran, commits that
 * happened are reported as failed, and a killed process's transactions are rolled back without it
 * ever hearing of it, as PostgreSQL does when a connection dies.
 */
export function createSimDatabase(options: SimDatabaseOptions): Database {
	const { db, gate, faults, knobs, prng, tally } = options;
	const drawn = (rate: number) => faults.active && prng.chance(rate);

	/** Runs one statement through gate and faults. */
	async function meet<Result>(run: () => Promise<Result>): Promise<Result> {
		await gate.pass();
		if (drawn(knobs.delayRate)) {
			tally.add("db_delay");
			await sleep(1 + prng.int(DELAY_MS_MAX));
		}
		await gate.pass();
		const fails = drawn(knobs.errorRate);
		const ranFirst = fails && prng.chance(0.5);
		if (fails && !ranFirst) throw lost("db_error_before");
		const result = await run();
		await gate.pass();
		if (ranFirst) throw lost("db_error_after");
		return result;
	}

	function lost(kind: string): Error {
		tally.add(kind);
		const code = prng.pick(["57P01", "08006", "ECONNRESET"]);
		return Object.assign(new Error("the connection was lost"), { code });
	}

	async function transaction<Result>(run: (tx: Tx) => Promise<Result>): Promise<Result> {
		await gate.pass();
		if (drawn(knobs.errorRate)) throw lost("db_error_begin");
		const hints: (() => void)[] = [];
		const work = db.transaction((inner) => {
			return Promise.race([runInside(inner, run, hints), gate.death]);
		});
		const result = await work.catch(async (error) => {
			await gate.pass();
			throw error;
		});
		await gate.pass();
		// The commit is done; whether its answer arrives is another matter.
		if (drawn(knobs.lostCommitRate)) throw lost("db_commit_unknown");
		for (const hint of hints) hint();
		return result;
	}

	async function runInside<Result>(
		inner: Tx,
		run: (tx: Tx) => Promise<Result>,
		hints: (() => void)[],
	): Promise<Result> {
		const statements: Statement[] = [];
		const steps: (() => Promise<void>)[] = [];
		let broken: unknown;
		let last: Promise<unknown> = Promise.resolve();
		// One connection: what was sent first runs first, however long it was held up.
		const guarded = <Answer>(statement: () => Promise<Answer>): Promise<Answer> => {
			const turn = last.then(() => runOne(statement));
			last = turn.catch(() => {});
			return turn;
		};
		const runOne = async <Answer>(statement: () => Promise<Answer>): Promise<Answer> => {
			if (broken) throw broken;
			try {
				return await meet(statement);
			} catch (error) {
				if (isLost(error)) broken = error;
				throw error;
			}
		};
		const tx: Tx = {
			inTransaction: true,
			query<Row>(text: string, values: readonly SqlValue[] = []) {
				statements.push({ text, values });
				return guarded(() => inner.query<Row>(text, values));
			},
			execute(text, values = []) {
				statements.push({ text, values });
				if (text.includes("insert into chain_scanner.gap")) tally.add("gap_left");
				return guarded(() => inner.execute(text, values));
			},
			copy: (into, chunks) => guarded(() => inner.copy(into, chunks)),
			beforeCommit: (step) => void steps.push(step),
			afterCommit: (hint) => void hints.push(hint),
		};
		const result = await run(tx);
		for (const step of steps) await step();
		// Whoever swallowed a lost connection cannot commit on it either.
		if (broken) throw broken;
		await options.beforeCommit(inner, statements);
		if (drawn(knobs.failedCommitRate)) throw lost("db_commit_failed");
		await gate.pass();
		return result;
	}

	const one: Queryable = {
		query: <Row>(text: string, values?: readonly SqlValue[]) =>
			meet(() => db.query<Row>(text, values)),
		execute: (text, values) => meet(() => db.execute(text, values)),
	};
	return {
		...one,
		keepingPlans: one,
		transaction,
		connectionString: db.connectionString,
		close: async () => {},
	};
}

export function createGate(): Gate {
	let opened = Promise.withResolvers<void>();
	let isShut = false;
	let isDead = false;
	const death = Promise.withResolvers<never>();
	death.promise.catch(() => {});
	return {
		async pass() {
			while (isShut && !isDead) await opened.promise;
			if (isDead) await new Promise<never>(() => {});
		},
		death: death.promise,
		get isDead() {
			return isDead;
		},
		shut() {
			if (isShut) return;
			isShut = true;
			opened = Promise.withResolvers();
		},
		open() {
			isShut = false;
			opened.resolve();
		},
		kill() {
			isDead = true;
			opened.resolve();
			death.reject(new ProcessKilled("killed"));
		},
	};
}

/**
 * A bus that loses, doubles and delays hints past each other, as a restarted Redis does. What
 * arrives is kept, for the oracle to compare with what was committed.
 */
export function createSimBus(options: {
	lossRate: number;
	prng: Prng;
	tally: Tally;
	onHint(message: string): void;
}): Bus {
	const { lossRate, prng, tally, onHint } = options;
	let held: string | null = null;
	return {
		publish(_, hint) {
			if (prng.chance(lossRate)) return tally.add("hint_lost");
			if (lossRate > 0 && prng.chance(0.1)) {
				tally.add("hint_doubled");
				onHint(hint);
			}
			if (lossRate > 0 && held === null && prng.chance(0.2)) {
				tally.add("hint_overtaken");
				held = hint;
				return;
			}
			onHint(hint);
			if (held !== null) onHint(held);
			held = null;
		},
		subscribe: () => () => {},
		close: async () => {},
	};
}

function isLost(error: unknown): boolean {
	return error instanceof Error && error.message === "the connection was lost";
}
