import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { isWakeable } from "#plugins/bridge/sql/bridges.ts";
import {
	createLieLab,
	DEPOSITORY,
	type LieBridge,
	type LieLab,
	SOLVER,
} from "#plugins/bridge/testing/createLieLab.ts";
import type { SimChain, SimPayment } from "#plugins/bridge/testing/simChain.ts";
import { tellLies } from "#plugins/bridge/testing/tellLies.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: whatever the provider claims, in whatever order, with whatever nodes away or forged,
// an end that is called verified is true by both chains, each payment ends one bridge, what is not
// proven says so, and nothing stands without a next look or an action.

const isProving = process.env["PROVE"] === "1";
const SEEDS = isProving ? 2_000 : 200;
const GROUP = 50;
const HOUR_MS = 3_600_000;
const PAYERS: readonly Hex[] = [SOLVER, DEPOSITORY];

type Arrival = {
	bridgeId: string;
	chainId: number;
	hash: Hex;
	logIndex: number;
	party: Hex;
	currency: Hex;
	raw: bigint;
	block: number;
};

let database: TestDatabase;
let lab: LieLab;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createLieLab(database.db);
});
afterAll(() => database?.drop());

async function arrivals(): Promise<Arrival[]> {
	const rows = await database.db.query<Omit<Arrival, "raw"> & { raw: string }>(
		`select bridge_id as "bridgeId", chain_id as "chainId", log_index as "logIndex",
			'0x' || encode(transaction_hash, 'hex') as hash, '0x' || encode(party, 'hex') as party,
			'0x' || encode(currency, 'hex') as currency, raw::text as raw, block_number as block
		from bridge.arrival`,
	);
	return rows.map(({ raw, ...row }) => ({ ...row, raw: BigInt(raw) }));
}
const chainOf = (id: number): SimChain => (id === 1 ? lab.chains.origin : lab.chains.destination);

/** Returns what of an end's payments no chain made for it, by the chains alone. */
function flawsOf(bridge: LieBridge, mine: readonly Arrival[]): string[] {
	const deposit = lab.chains.origin.payments().find(({ hash }) => hash === bridge.depositHash);
	return mine.flatMap((one) => {
		const real = chainOf(one.chainId)
			.payments()
			.filter(({ hash, to, currency }) => {
				return hash === one.hash && to === one.party && currency === one.currency;
			});
		const good = real.filter((paid) => isFor(bridge, paid, { deposit, chainId: one.chainId }));
		const sum = good.reduce((total, { raw }) => total + raw, 0n);
		return sum >= one.raw ? [] : [`${one.hash} paid ${sum}, not ${one.raw}`];
	});
}

function isFor(
	{ orderId, depositHash }: LieBridge,
	paid: SimPayment,
	{ deposit, chainId }: { deposit: SimPayment | undefined; chainId: number },
): boolean {
	const isMarked = paid.input.includes(orderId.slice(2));
	const isPayer = (address: Hex) =>
		PAYERS.includes(address) || isPinned({ address, chainId, atS: deposit?.atS ?? 0 });
	const isTheirs = isPayer(paid.from) || isPayer(paid.sender) || isMarked;
	const isAfter =
		deposit !== undefined &&
		(chainId === 1 ? paid.block > deposit.block : paid.atS + 60 >= deposit.atS);
	return isTheirs && isAfter && paid.hash !== depositHash && paid.from !== paid.to;
}

/** Returns whether an address was pinned before a deposit, or by an operator. */
function isPinned(given: { address: Hex; chainId: number; atS: number }): boolean {
	return lab.solvers.some(({ address, chainId, by, atMs }) => {
		const isEarly = by === "operator" || atMs < (given.atS + 1) * 1_000;
		return address === given.address && chainId === given.chainId && isEarly;
	});
}

/** Says what is wrong now; what left its chain a moment ago may be said for one more look. */
async function judge(bridges: readonly LieBridge[]): Promise<string[]> {
	const all = await arrivals();
	const problems: string[] = [];
	for (const bridge of bridges) {
		const row = await lab.read(bridge);
		const name = `${bridge.id.slice(-2)} ${row.status} ${row.errorCode}`;
		const isEnd = row.status === "success" || row.status === "refund";
		const mine = all.filter(({ bridgeId }) => bridgeId === bridge.id);
		if (isEnd && row.isVerified === true && row.lookAt === null) {
			problems.push(...flawsOf(bridge, mine).map((flaw) => `${name}: ${flaw}`));
		}
		if (isEnd) {
			const sum = mine.reduce((total, { raw }) => total + raw, 0n);
			const wholeRaw = row.status === "success" ? bridge.minimumOutRaw : 250_000n;
			const accepted = lab.accepted.get(bridge.id);
			const isAccepted = accepted?.end === row.status && accepted.raw < wholeRaw;
			const leastRaw = isAccepted ? accepted.raw : wholeRaw;
			if (sum !== row.arrivedRaw || sum < leastRaw) problems.push(`${name}: ${sum} arrived`);
			const [place, party] =
				row.status === "success"
					? [bridge.route.destination, bridge.route.recipient]
					: [bridge.route.origin, bridge.route.refundTo];
			const isPlace = mine.every((one) => {
				return (
					one.chainId === place.chainId && one.currency === place.currency && one.party === party
				);
			});
			if (!isPlace) problems.push(`${name}: it arrived elsewhere`);
		}
		if (!isEnd && mine.length > 0) problems.push(`${name}: it has payments and no end`);
		if (row.status === "uncertain" && row.errorCode === null) problems.push(`${name}: of what?`);
		const isWatched = row.lookAt !== null || (row.stoppedAt !== null && isWakeable(row));
		if (!isEnd && !isWatched) problems.push(`${name}: nobody looks`);
		if (row.lookAt !== null && row.lookAt.getTime() < lab.clock.ms) {
			problems.push(`${name}: it was due, and nobody looked`);
		}
		if (isEnd && row.isVerified === false && !isWatched && row.lookAt === null) {
			problems.push(`${name}: nobody verifies it`);
		}
	}
	return [...problems, ...shared(all)];
}

/** Returns payments that two bridges have, and blocks that grew by less than was counted. */
function shared(all: readonly Arrival[]): string[] {
	const logs = all.filter(({ logIndex }) => logIndex >= -1);
	const names = logs.map(({ chainId, hash, logIndex }) => `${chainId} ${hash} ${logIndex}`);
	const twice = names.length === new Set(names).size ? [] : ["a payment belongs to two bridges"];
	// What left its chain with its block is no part of the block that came in its place.
	const isThere = ({ chainId, hash }: Arrival) => chainOf(chainId).has(hash);
	const grown = all.filter((one) => one.logIndex === -2 && isThere(one));
	const over = grown.filter((one) => {
		const here = (other: { block: number }) => other.block === one.block;
		const claimed = grown.filter((other) => other.chainId === one.chainId && here(other));
		const paid = chainOf(one.chainId)
			.payments()
			.filter((other) => here(other) && other.currency === ZERO_ADDRESS && other.to === one.party);
		const sum = (rows: readonly { raw: bigint }[]) => rows.reduce((to, { raw }) => to + raw, 0n);
		return paid.length > 0 && sum(claimed) > sum(paid);
	});
	return [...twice, ...over.map(({ block }) => `block ${block} grew by less than was counted`)];
}

/** Both chains are read by nodes of ours, and the provider says what really is. */
async function settle(bridges: readonly LieBridge[]): Promise<void> {
	for (const name of ["origin", "destination"] as const) lab.chains[name].isDown = false;
	lab.silent.clear();
	Object.assign(lab.reads, { origin: "own", destination: "own" });
	for (const bridge of bridges) lab.say(bridge, "pending");
	for (let hour = 0; hour < 3; hour++) await lab.pass(HOUR_MS);
	await lab.pass(25 * HOUR_MS);
}

const seeds = Array.from({ length: SEEDS }, (_, nth) => TEST_SEED + nth);
describe(`a provider that lies (TEST_SEED=${TEST_SEED})`, () => {
	const met = new Map<string, number>();
	for (let from = 0; from < SEEDS; from += GROUP) {
		test(
			`ends nothing that both chains do not show (seeds ${from} to ${from + GROUP - 1})`,
			async () => {
				for (const seed of seeds.slice(from, from + GROUP)) {
					const bridges = await tellLies(lab, createPrng(seed), async (all) => {
						expect([seed, await judge(all)]).toEqual([seed, []]);
					});
					await settle(bridges);
					expect([seed, await judge(bridges)]).toEqual([seed, []]);
					for (const bridge of bridges) {
						const { status, isVerified, errorCode, depositOf, accepted } = await lab.read(bridge);
						const isAccepted = lab.accepted.get(bridge.id)?.end === status && accepted !== null;
						// What no node can say an operator may, and then it is not called verified.
						const isSaid = isVerified === true || (isVerified === null && isAccepted);
						const isOpen = /^(success|refund)$/.test(status) && !isSaid;
						expect([seed, status, isOpen]).toEqual([seed, status, false]);
						const kind = isAccepted ? "accepted " : depositOf === null ? "" : "second ";
						const name = `${kind}${status} ${errorCode}`;
						met.set(name, (met.get(name) ?? 0) + 1);
					}
				}
			},
			2 * TEST_LIMIT_MS,
		);
	}

	test("came by every kind of end and doubt", () => {
		const names = [...met.keys()];
		for (const wanted of [
			...["success null", "refund null", "timed_out null", "fill_short", "refund_short"],
			...["refund_elsewhere", "arrival_unproven"],
			...["second success null", "second refund null", "accepted success null"],
		]) {
			expect([wanted, names.some((name) => name.endsWith(wanted))]).toEqual([wanted, true]);
		}
	});
});
