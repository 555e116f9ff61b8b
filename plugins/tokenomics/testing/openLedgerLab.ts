import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createLedger } from "#plugins/tokenomics/ledger/createLedger.ts";
import type { TokenContracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { BURNER, ROUTER, TOKEN } from "#plugins/tokenomics/testing/fakeTokenChain.ts";

const LAB_CHAIN_ID = 4_663;
export const FINAL_DEPTH = 8;

type LedgerLabOptions = {
	db: Database;
	rpc: Rpc;
	finalDepth?: number;
	addresses?: { token: Address; router: Address; burner: Address };
};

/** Opens the ledger alone, over any chain. Its clock stands until it is moved. */
export function openLedgerLab({ db, rpc, finalDepth = FINAL_DEPTH, addresses }: LedgerLabOptions) {
	const clock = { ms: 1_795_100_000_000, nowMs: () => clock.ms };
	const metrics = createMetrics();
	const { token, router, burner } = addresses ?? { token: TOKEN, router: ROUTER, burner: BURNER };
	const said: string[] = [];
	const contracts: TokenContracts = {
		...{ chainId: LAB_CHAIN_ID, token, router, burner, fromBlock: 0 },
		saidBy: { kind: "configuration" },
	};
	const state = { contracts: contracts as TokenContracts | null, observe: async (_: string) => {} };
	const chain = createChainRegistry(builtinChains).byId(LAB_CHAIN_ID);
	if (!chain) throw new Error("chain 4663 is built in");
	const ledger = createLedger({
		...{ db, clock, rpc, metrics, finalDepth },
		log: { ...silentLog, error: (_, about) => void said.push(String(about?.what)) },
		contracts: async () => state.contracts,
		observe: (step) => state.observe(step),
		...{ randomAddress: () => "0x00", currencies: [] },
	});
	const { signal } = new AbortController();
	return {
		...{ clock, state, chain, said, metrics },
		degraded: ledger.degraded,
		/** Runs what the job does; `compare`: it compares also when that is not due. */
		run: ({ compare = false } = {}) => ledger.run(signal, { isDue: compare }),
		/** Reads everything that the ledger holds, in an order of its own. */
		books: () => readBooks(db),
		clear: () =>
			db.execute(
				`truncate tokenomics.followed, tokenomics.entry, tokenomics.total, tokenomics.holder,
					tokenomics.transfer, tokenomics.currency, tokenomics.manifest`,
			),
	};
}

export type Books = Awaited<ReturnType<typeof readBooks>>;

async function readBooks(db: Database) {
	const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`;
	const totals = await db.query<{
		kind: string;
		currency: Uint8Array;
		bucket: number;
		amount: string;
		burned: string;
		entries: number;
	}>(
		`select kind, currency, bucket, sum(amount)::text as amount, sum(burned)::text as burned,
			sum(entries)::int8 as entries
		from tokenomics.total group by kind, currency, bucket
		having sum(amount) <> 0 or sum(entries) <> 0 order by kind, currency, bucket`,
	);
	const holders = await db.query<{ holder: Uint8Array; balance: string }>(
		"select holder, balance::text as balance from tokenomics.holder order by holder",
	);
	const entries = await db.query<{ entryType: string; count: number }>(
		`select entry_type as "entryType", count(*) as count from tokenomics.entry
		group by entry_type order by entry_type`,
	);
	const [cursor] = await db.query<{ readTo: number; agreedTo: number }>(
		`select min(read_to) as "readTo", min(agreed_to) as "agreedTo" from tokenomics.followed`,
	);
	const name = (kind: string, currency: Uint8Array, bucket: number) =>
		`${kind} ${hex(currency)} ${bucket}`;
	return {
		totals: new Map(
			totals.map((row) => [
				name(row.kind, row.currency, row.bucket),
				{ amount: BigInt(row.amount), burned: BigInt(row.burned), entries: row.entries },
			]),
		),
		holders: new Map(holders.map(({ holder, balance }) => [hex(holder), BigInt(balance)])),
		entries: new Map(entries.map(({ entryType, count }) => [entryType, count])),
		...{ readTo: cursor?.readTo ?? -1, agreedTo: cursor?.agreedTo ?? -1 },
	};
}
