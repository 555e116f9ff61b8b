// Stores the wallet provider's transactions and requests in SQLite.

import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { PersonPlan } from "./people.ts";

/** A transaction as the provider stores it. */
export type StoredTransaction = {
	id: string;
	referenceId: string | null;
	walletId: string;
	caip2: string;
	sender: string;
	nonce: number;
	hash: string;
	/**
	 * `failed`: never broadcast. The statuses are those that the provider knows without the chain.
	 */
	status: "pending" | "broadcasted" | "failed" | "provider_error";
	createdAtMs: number;
	/** How often it was sent to the node. */
	broadcasts: number;
};

/** A false entry in the provider's list of transactions. */
export type StoredClaim = { status: string; hash: string | null; isLasting: boolean };

export type StoredResponse = { bodyHash: string; status: number; body: string };

export type CustodyStore = {
	/** Returns the stored answer of a key that is not older than that time. */
	response(key: string, sinceMs: number): StoredResponse | null;
	keepResponse(key: string, response: StoredResponse, atMs: number): void;
	insert(transaction: StoredTransaction): void;
	setStatus(id: string, status: StoredTransaction["status"]): void;
	countBroadcast(id: string): void;
	/** Makes the list show this for a transaction from now on. */
	claim(id: string, claim: StoredClaim): void;
	claimOf(id: string): StoredClaim | null;
	/** Makes the list true again, except for lasting claims. */
	clearClaims(): void;
	byId(id: string): StoredTransaction | null;
	byReference(referenceId: string): StoredTransaction | null;
	/** Returns the newest transaction of a wallet. */
	lastOf(walletId: string): StoredTransaction | null;
	all(): StoredTransaction[];
	addPerson(plan: PersonPlan): void;
	people(): PersonPlan[];
	close(): void;
};

const LIST_MAX = 100_000;

/**
 * Opens what outlives the process, in one SQLite file, or in memory without a directory. Deletes
 * the transactions of another chain than `chainName`: they do not exist on this one.
 */
export function createCustodyStore(options: {
	dataDir: string | null;
	chainName: string;
}): CustodyStore {
	const { dataDir, chainName } = options;
	const db = new Database(dataDir === null ? ":memory:" : join(dataDir, "custody.sqlite"));
	// A killed process loses nothing with this; a crashed machine may lose its sandbox.
	db.run("pragma journal_mode = wal");
	db.run("pragma synchronous = off");
	openTables(db, chainName);
	const get = db.query<StoredResponse, [string, number]>(
		"select body_hash as bodyHash, status, body from response where key = ? and at >= ?",
	);
	const columns =
		"id, reference_id as referenceId, wallet_id as walletId, caip2, sender, nonce, hash, status, " +
		"created_at as createdAtMs, broadcasts";
	const one = (where: string) =>
		db.query<StoredTransaction, [string]>(`select ${columns} from tx where ${where} = ?`);
	const byId = one("id");
	const byReference = one("reference_id");
	const lastOf = db.query<StoredTransaction, [string]>(
		`select ${columns} from tx where wallet_id = ? order by rowid desc limit 1`,
	);
	const claims = new Map<string, StoredClaim>();
	return {
		response: (key, sinceMs) => get.get(key, sinceMs),
		keepResponse(key, { bodyHash, status, body }, atMs) {
			db.query("insert or replace into response values (?, ?, ?, ?, ?)").run(
				...[key, bodyHash, status, body, atMs],
			);
		},
		insert(tx) {
			const { id, referenceId, walletId, caip2, sender, nonce, hash, status } = tx;
			db.query("insert into tx values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
				...[id, referenceId, walletId, caip2, sender, nonce, hash, status],
				...[tx.createdAtMs, tx.broadcasts],
			);
		},
		setStatus: (id, status) =>
			void db.query("update tx set status = ? where id = ?").run(status, id),
		countBroadcast: (id) =>
			void db.query("update tx set broadcasts = broadcasts + 1 where id = ?").run(id),
		claim: (id, claim) => void claims.set(id, claim),
		claimOf: (id) => claims.get(id) ?? null,
		clearClaims() {
			for (const [id, { isLasting }] of claims) if (!isLasting) claims.delete(id);
		},
		byId: (id) => byId.get(id),
		byReference: (referenceId) => byReference.get(referenceId),
		lastOf: (walletId) => lastOf.get(walletId),
		all: () =>
			db
				.query<StoredTransaction, []>(`select ${columns} from tx order by rowid limit ${LIST_MAX}`)
				.all(),
		addPerson: (plan) =>
			void db.query("insert into person (plan) values (?)").run(JSON.stringify(plan)),
		people: () =>
			db
				.query<{ plan: string }, []>("select plan from person order by n")
				.all()
				.map(({ plan }) => JSON.parse(plan)),
		close: () => db.close(),
	};
}

function openTables(db: Database, chainName: string): void {
	const tables = {
		meta: "name text primary key, value text not null",
		response: "key text primary key, body_hash text, status int, body text, at int",
		tx:
			"id text primary key, reference_id text unique, wallet_id text, caip2 text, sender text, " +
			"nonce int, hash text, status text, created_at int, broadcasts int",
		person: "n integer primary key, plan text not null",
	};
	const create = () => {
		for (const [name, columns] of Object.entries(tables)) {
			db.run(`create table if not exists ${name} (${columns})`);
		}
	};
	create();
	const known = db
		.query<{ value: string }, []>("select value from meta where name = 'chain'")
		.get();
	if (known && known.value !== chainName) {
		for (const name of Object.keys(tables)) db.run(`drop table ${name}`);
		create();
	}
	db.query("insert or replace into meta values ('chain', ?)").run(chainName);
}
