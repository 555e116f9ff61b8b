// Plays one seed of a lying provider: payments, claims, outages, reorgs and restarts.

import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault.ts";
import {
	AMOUNT,
	createForgedChain,
	DEPOSITORY,
	EXPECTED,
	type LieBridge,
	type LieLab,
	MINIMUM,
	SOLVER,
	STRANGER,
	TOKEN,
	USER,
} from "#plugins/bridge/testing/createLieLab.ts";
import type { SimTransaction } from "#plugins/bridge/testing/simChain.ts";

/** Where chance comes from; a seed plays the same each time. */
export type Chance = {
	int(below: number): number;
	pick<Item>(items: readonly Item[]): Item;
	chance(share: number): boolean;
};

type ChainName = "origin" | "destination";
type Act = (lab: LieLab, bridges: LieBridge[], chance: Chance) => Promise<void> | void;

const CHAINS: readonly ChainName[] = ["origin", "destination"];
const STATUSES = ["success", "refund", "failure", "pending", "teleporting", "waiting"] as const;
const SPAM: Hex = `0x${"5a".repeat(20)}`;
const NOBODYS: Hex = `0x${"0b".repeat(32)}`;
const RAWS = [EXPECTED, EXPECTED, MINIMUM, AMOUNT, MINIMUM - 1n, AMOUNT / 2n, 1n, 2n * EXPECTED];
const MOVES_MAX = 9;
const BRIDGES_MAX = 5;
/** One that pays for the provider only once it is pinned. */
export const NEWCOMER: Hex = `0x${"4e".repeat(20)}`;
/** Older blocks stay: nobody watches an arrival for longer than half an hour. */
const YOUNG_S = 1_200;
const PASS_MS = [0, 1_000, 5_000, 20_000, 130_000, 4_000_000, 90_000_000] as const;

const ACTS: readonly Act[] = [
	...[pays, pays, claims, claims, claims, claims, claims, endsIt, endsIt],
	...[forgesNode, goesDown, comesBack, changesReader, takesBack, dies],
	...[depositsAgain, accepts, accepts, pins, fallsSilent, answersAgain, hidesBehind],
];

/** Deposits bridges, and has chance decide what happens to them; `judge` looks after each move. */
export async function tellLies(
	lab: LieLab,
	chance: Chance,
	judge: (bridges: readonly LieBridge[]) => Promise<void>,
): Promise<LieBridge[]> {
	await lab.fresh();
	// What was paid before any bridge was there is what a liar names first.
	for (const _ of Array(chance.int(3))) pays(lab, [], chance);
	const bridges: LieBridge[] = [];
	for (const _ of Array(2 + chance.int(2))) {
		const [from, to] = [chance.pick([TOKEN, ZERO_ADDRESS]), chance.pick([TOKEN, ZERO_ADDRESS])];
		bridges.push(await lab.deposited({ from, to, refundMinimum: chance.pick([0n, 900_000n]) }));
	}
	for (const _ of Array(4 + chance.int(MOVES_MAX - 4))) {
		await chance.pick(ACTS)(lab, bridges, chance);
		await lab.pass(chance.pick(PASS_MS));
		await judge(bridges);
	}
	return bridges;
}

/** Somebody pays the owner something, in one block with others or alone. */
function pays(lab: LieLab, bridges: readonly LieBridge[], chance: Chance): void {
	const name = chance.pick(CHAINS);
	const all = Array.from({ length: 1 + chance.int(3) }, () => payment(bridges, chance));
	lab.chains[name].mine(all, lab.nowS());
}

function payment(bridges: readonly LieBridge[], chance: Chance): SimTransaction {
	const from = chance.pick([SOLVER, SOLVER, SOLVER, NEWCOMER, STRANGER, USER]);
	const currency = chance.pick([TOKEN, TOKEN, ZERO_ADDRESS, SPAM]);
	const raw = chance.pick(RAWS);
	const to = chance.chance(0.9) ? USER : STRANGER;
	const about = bridges.length > 0 && chance.chance(0.2) ? chance.pick(bridges).orderId : null;
	const input: Hex = about ?? (chance.chance(0.5) ? `0x${to.slice(2)}` : "0x");
	const isReverted = chance.chance(0.1);
	if (currency === ZERO_ADDRESS && chance.chance(0.5)) {
		return { from, to, value: raw, input, isReverted };
	}
	const payer = chance.pick([from, DEPOSITORY, STRANGER]);
	const paid = { currency, from: payer, to, raw };
	const pays = Array.from({ length: 1 + chance.int(2) }, () => paid);
	return { from, to: DEPOSITORY, input, pays, isReverted };
}

/** The provider says something of a bridge, with hashes of whatever it finds. */
async function claims(lab: LieLab, bridges: readonly LieBridge[], chance: Chance): Promise<void> {
	const known = CHAINS.flatMap((name) => lab.chains[name].payments().map(({ hash }) => hash));
	const hashes = Array.from({ length: chance.int(4) }, () => chance.pick([...known, NOBODYS]));
	await tell(lab, { one: chance.pick(bridges), status: chance.pick(STATUSES), hashes, chance });
}

/** The solver really ends a bridge, and the provider says so of it, or of another one as well. */
async function endsIt(lab: LieLab, bridges: readonly LieBridge[], chance: Chance): Promise<void> {
	const one = chance.pick(bridges);
	const status = chance.pick(["success", "refund"] as const);
	const [name, place]: [ChainName, LieBridge["route"]["origin"]] =
		status === "success" ? ["destination", one.route.destination] : ["origin", one.route.origin];
	const { currency } = place;
	const raw = chance.pick([EXPECTED, EXPECTED, MINIMUM, AMOUNT]);
	const paid = { currency, from: SOLVER, to: USER, raw };
	const isInner = currency !== ZERO_ADDRESS || chance.chance(0.4);
	const sent: SimTransaction = isInner
		? { from: SOLVER, to: DEPOSITORY, input: `0x${USER.slice(2)}`, pays: [paid] }
		: { from: SOLVER, to: USER, value: raw };
	const hashes = lab.chains[name].mine([sent], lab.nowS());
	const told = chance.chance(0.7) ? [one] : [one, chance.pick(bridges)];
	for (const about of told) await tell(lab, { one: about, status, hashes, chance });
}

/** A call that pays nothing is named as what paid the coin of another call of its block. */
async function hidesBehind(
	lab: LieLab,
	bridges: readonly LieBridge[],
	chance: Chance,
): Promise<void> {
	const isCoin = ({ route }: LieBridge) => route.destination.currency === ZERO_ADDRESS;
	const coins = bridges.filter(isCoin);
	const one = chance.pick(coins.length > 0 ? coins : bridges);
	const isMarked = chance.chance(0.5);
	const input: Hex = isMarked ? one.orderId : `0x${USER.slice(2)}`;
	const from = chance.pick([SOLVER, STRANGER]);
	const named: SimTransaction = { from, to: DEPOSITORY, input };
	const coin = { currency: ZERO_ADDRESS, from: STRANGER, to: USER, raw: EXPECTED };
	// Beside the order's id a stranger's own contract is believed not to pay whom it is not told.
	const to = isMarked ? DEPOSITORY : chance.pick([DEPOSITORY, STRANGER]);
	const paid: SimTransaction = { from: STRANGER, to, pays: [coin] };
	const isFirst = chance.chance(0.5);
	const hashes = lab.chains.destination.mine(isFirst ? [named, paid] : [paid, named], lab.nowS());
	const told = hashes.slice(isFirst ? 0 : 1, isFirst ? 1 : 2);
	await tell(lab, { one, status: "success", hashes: told, chance });
}

/** Says something of a bridge, mostly with a webhook that has it looked at. */
async function tell(
	lab: LieLab,
	given: { one: LieBridge; status: string; hashes: readonly Hex[]; chance: Chance },
): Promise<void> {
	const { one, status, hashes, chance } = given;
	lab.say(one, status, hashes);
	if (chance.chance(0.8)) await lab.wake(one);
}

/** The provider's own node shows a payment that the chain does not have. */
async function forgesNode(
	lab: LieLab,
	bridges: readonly LieBridge[],
	chance: Chance,
): Promise<void> {
	const one = chance.pick(bridges);
	const { read, hash } = createForgedChain(lab, one);
	lab.publicNode = read;
	if (chance.chance(0.7)) lab.reads.destination = "public";
	await tell(lab, { one, status: "success", hashes: [hash], chance });
}

function goesDown(lab: LieLab, _: readonly LieBridge[], chance: Chance): void {
	lab.chains[chance.pick(CHAINS)].isDown = true;
}

function comesBack(lab: LieLab): void {
	for (const name of CHAINS) lab.chains[name].isDown = false;
}

function changesReader(lab: LieLab, _: readonly LieBridge[], chance: Chance): void {
	lab.reads.destination = chance.pick(["own", "own", "public", "none"]);
}

/** The owner's wallet deposits for an order once more; it is found at once, or a while later. */
async function depositsAgain(lab: LieLab, bridges: LieBridge[], chance: Chance): Promise<void> {
	if (bridges.length >= BRIDGES_MAX) return;
	const first = chance.pick(bridges.filter(({ id }) => id.startsWith("0")));
	const second = await lab.again(first, chance.pick([0, 5_000, 600_000]));
	bridges.push(second);
	// Each gets an end of its own, one after the other.
	for (const one of chance.chance(0.5) ? [first, second] : []) {
		await endsIt(lab, [one], chance);
		await lab.pass(chance.pick([20_000, 130_000]));
	}
}

/**
 * An operator accepts what is shown of a bridge, or names something that is not; a part of it may
 * have been paid a moment ago.
 */
async function accepts(lab: LieLab, bridges: LieBridge[], chance: Chance): Promise<void> {
	const one = chance.pick(bridges);
	if (chance.chance(0.7)) {
		const { currency } = one.route.destination;
		const paid = { currency, from: SOLVER, to: USER, raw: chance.pick([1n, AMOUNT / 2n]) };
		const sent = {
			from: SOLVER,
			to: DEPOSITORY,
			input: `0x${USER.slice(2)}`,
			pays: [paid],
		} as const;
		const hashes = lab.chains.destination.mine([sent], lab.nowS());
		await tell(lab, { one, status: "success", hashes, chance });
		await lab.pass(20_000);
		if (chance.chance(0.2)) takesBack(lab);
	}
	const wrong = chance.chance(0.2) ? { amountRaw: 1_234_567n } : {};
	await lab.accept(one, wrong).catch((error: unknown) => {
		// What is not short, or not as it is named, is refused.
		if (!(error instanceof Fault)) throw error;
	});
}

/** One more payer is published, or pinned by an operator. */
async function pins(lab: LieLab, _: LieBridge[], chance: Chance): Promise<void> {
	const by = chance.pick(["first", "first", "operator"] as const);
	await lab.pin({ chainId: chance.pick([1, 2]), address: NEWCOMER, by });
}

/** The provider answers no more about one request. */
function fallsSilent(lab: LieLab, bridges: LieBridge[], chance: Chance): void {
	lab.silent.add(chance.pick(bridges).requestId);
}

function answersAgain(lab: LieLab): void {
	lab.silent.clear();
}

/** The newest block of the destination leaves its chain, while it is young. */
function takesBack(lab: LieLab): void {
	const { destination } = lab.chains;
	const isYoung = lab.nowS() - destination.headAtS() < YOUNG_S;
	if (destination.head() > 1 && isYoung) destination.reorg();
}

/** A process ends before, or after, it has written down what it found. */
async function dies(lab: LieLab, _: readonly LieBridge[], chance: Chance): Promise<void> {
	lab.diesAt = `bridge.look:${chance.pick(["before", "after"])}`;
	await lab.pass(60_000);
	lab.diesAt = null;
}
