// Watches deposits, and pays them out on the destination or back.

import { type Address, decodeEventLog, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { z } from "zod";
import type { BridgeFault, BridgeFaults } from "./BridgeFault.ts";
import {
	type BridgeChain,
	type BridgeEntry,
	type BridgePayment,
	type BridgeWorld,
	depositoryAbi,
	dollarAbi,
	fillPurse,
	sendAsSolver,
} from "./BridgeWorld.ts";
import { worthOf } from "./quoteRoute.ts";

const logSchema = z.object({
	address: z.string(),
	topics: z.array(z.custom<Hex>()).min(1),
	data: z.custom<Hex>(),
	transactionHash: z.custom<Hex>(),
});
const ELSEWHERE: Address = "0x00000000000000000000000000000000e15e0000";
const NOBODYS_HASH: Hex = `0x${"0b".repeat(32)}`;
const LATE_MS = 1_000;

/** Waits so long, or until all that is held up goes on. */
type Pause = (ms: number) => Promise<void>;

export type Solver = {
	/** Reads blocks that it has not seen, and does what their deposits ask for. */
	turn(): Promise<void>;
	/** Settles when nothing that was begun is under way. */
	idle(): Promise<void>;
	/** Takes over something that is under way. */
	begin(work: Promise<void>): void;
	/** Ends all delays that are under way. */
	release(): void;
};

/**
 * Watches deposits on every chain and really pays: a fill on the destination, or a refund on the
 * origin. What a fault orders becomes of a deposit instead.
 */
export function createSolver(world: BridgeWorld, faults: BridgeFaults): Solver {
	const read = new Map<number, bigint>();
	const seen = new Set<string>();
	const underWay = new Set<Promise<void>>();
	const held = new Set<() => void>();

	const pause: Pause = (ms) =>
		new Promise((resolve) => {
			const end = () => {
				clearTimeout(timer);
				held.delete(end);
				resolve();
			};
			const timer = setTimeout(end, ms);
			held.add(end);
		});

	function begin(work: Promise<void>): void {
		const done = work.catch(() => {}).finally(() => underWay.delete(done));
		underWay.add(done);
	}

	async function look(chain: BridgeChain): Promise<void> {
		const head = BigInt(String(await chain.rpc.call("eth_blockNumber")));
		const last = read.get(chain.id) ?? head - 1n;
		// A chain that went back is read again from where it is.
		const from = last >= head ? head : last + 1n;
		if (last === head) return;
		const filter = { address: chain.depository, fromBlock: hex(from), toBlock: hex(head) };
		const logs = z.array(logSchema).parse(await chain.rpc.call("eth_getLogs", [filter]));
		read.set(chain.id, head);
		for (const [place, log] of logs.entries()) {
			const deposit = depositOf(chain, log);
			// A batch has several, in the order that they keep wherever it is mined.
			const isOfSame = ({ transactionHash }: typeof log) => transactionHash === log.transactionHash;
			const nth = logs.slice(0, place).filter(isOfSame).length;
			const key = `${chain.id} ${log.transactionHash} ${nth}`;
			if (!deposit || seen.has(key)) continue;
			seen.add(key);
			const entry = world.entries.find(({ orderId }) => orderId === deposit.orderId);
			if (!entry) continue;
			entry.deposits.push(deposit.payment);
			const fault = faults.ofDeposit();
			begin(settle(world, { entry, deposit: deposit.payment, fault, pause }));
		}
	}

	return {
		begin,
		release() {
			for (const end of held) end();
		},
		async turn() {
			await Promise.all(world.chains.filter(({ isListedOnly }) => !isListedOnly).map(look));
		},
		async idle() {
			while (underWay.size > 0) await Promise.all(underWay);
		},
	};
}

function hex(value: bigint): string {
	return `0x${value.toString(16)}`;
}

function depositOf(
	chain: BridgeChain,
	{ topics, data, transactionHash }: z.output<typeof logSchema>,
): { orderId: Hex; payment: BridgePayment } | null {
	try {
		const event = decodeEventLog({ abi: depositoryAbi, topics: topics as [Hex, ...Hex[]], data });
		if (!event.args) return null;
		const { from, amount, id } = event.args;
		const currency = "token" in event.args ? event.args.token.toLowerCase() : zeroAddress;
		return {
			orderId: id,
			payment: {
				...{ chainId: chain.id, hash: transactionHash, raw: amount },
				...{ currency: currency as Address, party: from.toLowerCase() as Address },
			},
		};
	} catch {
		return null;
	}
}

type Settled = {
	entry: BridgeEntry;
	deposit: BridgePayment;
	fault: BridgeFault | null;
	pause: Pause;
};

async function settle(world: BridgeWorld, settled: Settled): Promise<void> {
	const { entry, deposit, fault, pause } = settled;
	world.move(entry, "pending");
	const { origin, destination } = entry;
	const isPaid = deposit.currency === origin.currency.address && deposit.raw >= origin.raw;
	const isFirst = entry.deposits.length === 1;
	const isLate = world.clock.nowMs() > entry.deadlineMs;
	// What was deposited twice, too low or too late goes back.
	if (!isFirst || !isPaid || isLate) {
		entry.failReason = isLate ? "ORDER_EXPIRED" : "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL";
		return await refund(world, entry, deposit);
	}
	const fill = (raw: bigint, to: Address) => pay(world, entry, { raw, to });
	if (!fault) return await fill(destination.raw, entry.recipient);
	switch (fault.kind) {
		case "odd_status":
			world.move(entry, fault.says ?? "teleporting");
			await pause(fault.delayMs ?? LATE_MS);
			return await fill(destination.raw, entry.recipient);
		case "fill_late":
			world.move(entry, "delayed");
			await pause(fault.delayMs ?? LATE_MS);
			return await fill(destination.raw, entry.recipient);
		case "fill_never":
			return;
		case "fill_short":
			return await fill(destination.minimumRaw - 1n, entry.recipient);
		case "fill_elsewhere":
			return await fill(destination.raw, ELSEWHERE);
		case "claims_fill":
		case "claims_refund":
			entry.told = [NOBODYS_HASH];
			world.move(entry, fault.kind === "claims_fill" ? "success" : "refund");
			return;
		case "claims_last_fill":
			entry.told = [world.entries.findLast(({ fill: paid }) => paid)?.fill?.hash ?? NOBODYS_HASH];
			world.move(entry, "success");
			return;
		default:
			return await settleBadly(world, { entry, deposit, fault, pause });
	}
}

async function settleBadly(
	world: BridgeWorld,
	{ entry, deposit, fault, pause }: Settled & { fault: BridgeFault },
): Promise<void> {
	const delayMs = fault.delayMs ?? LATE_MS;
	const half = { ...deposit, raw: deposit.raw / 2n };
	switch (fault.kind) {
		case "refund":
			return await refund(world, entry, deposit);
		case "refund_short":
			return await refund(world, entry, half);
		case "refund_elsewhere":
			return await refund(world, { ...entry, refundTo: ELSEWHERE }, deposit, entry);
		case "fail_then_refund":
			fail(world, entry);
			await pause(delayMs);
			return await refund(world, entry, half);
		case "fail_then_fill":
			fail(world, entry);
			await pause(delayMs);
			return await pay(world, entry, { raw: entry.destination.raw, to: entry.recipient });
		default:
			return fail(world, entry);
	}
}

function fail(world: BridgeWorld, entry: BridgeEntry): void {
	entry.failReason = "SOLVER_CAPACITY_EXCEEDED";
	world.move(entry, "failure");
}

async function pay(
	world: BridgeWorld,
	entry: BridgeEntry,
	{ raw, to }: { raw: bigint; to: Address },
): Promise<void> {
	const { chain, currency } = entry.destination;
	world.move(entry, "submitted");
	const hash = await transfer(chain, { currency: currency.address, to, raw });
	entry.fill = { chainId: chain.id, hash, currency: currency.address, raw, party: to };
	world.move(entry, "success");
}

/** Less the fee: what comes back is less than what was paid in. */
async function refund(
	world: BridgeWorld,
	entry: BridgeEntry,
	deposit: BridgePayment,
	recorded = entry,
): Promise<void> {
	const chain = world.chains.find(({ id }) => id === deposit.chainId);
	if (!chain) return;
	const fee = worthOf(deposit.raw / 500n, entry.origin.currency, entry.origin.currency);
	const raw = deposit.raw - fee;
	const to = entry.refundTo;
	const data = encodeFunctionData({
		...{ abi: depositoryAbi, functionName: "payOut" as const },
		args: [deposit.currency, to, raw],
	});
	// A coin comes from the solver itself, as the real one sends it: a plain transfer.
	const isCoin = deposit.currency === zeroAddress;
	const hash = isCoin
		? await sendAsSolver(chain.rpc, { to, value: raw })
		: await sendAsSolver(chain.rpc, { to: chain.depository, data });
	recorded.refund = { chainId: chain.id, hash, currency: deposit.currency, raw, party: to };
	world.move(recorded, "refund");
}

async function transfer(
	chain: BridgeChain,
	{ currency, to, raw }: { currency: Address; to: Address; raw: bigint },
): Promise<Hex> {
	if (currency === zeroAddress) return await sendAsSolver(chain.rpc, { to, value: raw });
	await fillPurse(chain, { currency, raw });
	const args = [to, raw] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "transfer", args });
	return await sendAsSolver(chain.rpc, { to: currency, data });
}
