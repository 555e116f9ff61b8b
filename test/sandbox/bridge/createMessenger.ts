// Carries a token's messages between two chains, as LayerZero would.

import {
	type Address,
	decodeEventLog,
	encodeAbiParameters,
	encodeDeployData,
	encodeFunctionData,
	type Hex,
	keccak256,
	parseAbi,
	toHex,
} from "viem";
import { z } from "zod";
import { compileContracts } from "../compileContracts.ts";
import { type BridgeChain, sendAsSolver } from "./BridgeWorld.ts";

/** As far as the sandbox itself calls it. */
export const oftAbi = parseAbi([
	"constructor(uint32 eid, address inner)",
	"function setPeer(uint32 eid, bytes32 peer)",
	"function setFee(uint256 fee)",
	"function received(bytes32 guid) view returns (bool)",
	"function lzReceive(uint32 srcEid, bytes32 sender, bytes32 guid, bytes32 to, uint64 amountSD)",
	"event PacketSent(bytes32 guid, uint32 srcEid, bytes32 sender, bytes32 receiver, bytes32 to, uint64 amountSD)",
]);
const logsSchema = z.array(
	z.object({ topics: z.array(z.custom<Hex>()).min(1), data: z.custom<Hex>() }),
);
const receiptSchema = z.object({ contractAddress: z.custom<Address>() });

export type Messenger = {
	/** Contracts of the token by chain, lower case. */
	ofts: ReadonlyMap<number, Address>;
	/** Has one contract name another peer than the one on the other chain. */
	setPeer(chainId: number, eid: number, peer: Address): Promise<void>;
	setFee(chainId: number, feeRaw: bigint): Promise<void>;
	/** False: messages wait, until it is true again. */
	carry(isCarrying: boolean): void;
	/** Messages that were carried, in order. */
	carried: readonly Hex[];
	stop(): Promise<void>;
};

const POLL_MS = 20;
/** Where the compiler puts what the contract keeps, behind the five of its token. */
const SLOTS = { peers: 5n, fee: 7n } as const;
const FEE_RAW = 100_000_000_000_000n;

/** One end of a token that crosses by messages. */
export type MessengerEnd = {
	chain: BridgeChain;
	/** LayerZero's number of the chain. */
	eid: number;
	/** The token that the contract there holds; the zero address: it is a token of its own. */
	inner: Address;
	/** Where the contract is placed, without a transaction; without it, it is deployed. */
	at?: Address;
};
type Packet = NonNullable<ReturnType<typeof packetOf>>;

/**
 * Opens a token that crosses two chains by messages, and carries them: what LayerZero's endpoint,
 * verifiers and executor do together.
 */
export async function createMessenger(
	ends: readonly MessengerEnd[],
	{ pollMs = POLL_MS }: { pollMs?: number } = {},
): Promise<Messenger> {
	const ofts = new Map<number, Address>();
	for (const end of ends) ofts.set(end.chain.id, end.at ?? (await deploy(end)));
	const carried: Hex[] = [];
	/** Blocks of each chain that are read, and messages of theirs that nobody carried yet. */
	const read = new Map<number, bigint>();
	const waiting = new Map<Hex, Packet>();
	let isCarrying = true;
	let isStopped = false;
	const call = async (chain: BridgeChain, data: Hex) => {
		await sendAsSolver(chain.rpc, { to: ofts.get(chain.id) as Address, data });
	};
	const chainOf = (chainId: number) => ends.find(({ chain }) => chain.id === chainId)?.chain;
	const setPeer: Messenger["setPeer"] = async (chainId, eid, peer) => {
		const args = [eid, wordOf(peer)] as const;
		const chain = chainOf(chainId);
		const data = encodeFunctionData({ abi: oftAbi, functionName: "setPeer", args });
		if (chain) await call(chain, data);
	};
	for (const here of ends) {
		if (here.at) await place(here);
		for (const there of ends) {
			const peer = ofts.get(there.chain.id);
			if (here === there || !peer) continue;
			if (here.at) await placePeer(here, there.eid, peer);
			else await setPeer(here.chain.id, there.eid, peer);
		}
	}

	async function look({ chain }: MessengerEnd): Promise<void> {
		const head = BigInt(String(await chain.rpc.call("eth_blockNumber")));
		const last = read.get(chain.id) ?? -1n;
		if (last === head) return;
		// A chain that went back is read again from where it is.
		const fromBlock = quantityOf(last > head ? head : last + 1n);
		const asked = { address: ofts.get(chain.id), fromBlock, toBlock: quantityOf(head) };
		for (const log of logsSchema.parse(await chain.rpc.call("eth_getLogs", [asked]))) {
			const packet = packetOf(log);
			if (packet && !carried.includes(packet.guid)) waiting.set(packet.guid, packet);
		}
		read.set(chain.id, head);
	}

	async function turn(): Promise<void> {
		for (const end of ends) await look(end);
		for (const [guid, packet] of isCarrying ? waiting : []) {
			const { srcEid, sender, receiver, to, amountSD } = packet;
			waiting.delete(guid);
			// One address may be a contract on each.
			const there = ends.find(
				({ eid, chain }) => eid !== srcEid && wordOf(ofts.get(chain.id)) === receiver,
			);
			if (!there || (await isReceived(there.chain, receiver, guid))) continue;
			carried.push(guid);
			const args = [srcEid, sender, guid, to, amountSD] as const;
			const data = encodeFunctionData({ abi: oftAbi, functionName: "lzReceive", args });
			await call(there.chain, data);
		}
	}

	const watching = (async () => {
		while (!isStopped) {
			await turn().catch(() => {});
			await Bun.sleep(pollMs);
		}
	})();
	return {
		...{ ofts, setPeer, carried },
		async setFee(chainId, feeRaw) {
			const args = [feeRaw] as const;
			const chain = chainOf(chainId);
			const data = encodeFunctionData({ abi: oftAbi, functionName: "setFee", args });
			if (chain) await call(chain, data);
		},
		carry(is) {
			isCarrying = is;
		},
		async stop() {
			isStopped = true;
			await watching;
		},
	};
}

function wordOf(address: Address = "0x"): Hex {
	return `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
}

function packetOf({ topics, data }: z.output<typeof logsSchema>[number]) {
	try {
		const [first, ...rest] = topics as [Hex, ...Hex[]];
		return decodeEventLog({ abi: oftAbi, topics: [first, ...rest], data }).args;
	} catch {
		return null;
	}
}

function quantityOf(value: bigint): string {
	return `0x${value.toString(16)}`;
}

/** An earlier run of the sandbox may have carried it. */
async function isReceived({ rpc }: BridgeChain, oft: Hex, guid: Hex): Promise<boolean> {
	const data = encodeFunctionData({ abi: oftAbi, functionName: "received", args: [guid] });
	const to = `0x${oft.slice(-40)}`;
	return BigInt(String(await rpc.call("eth_call", [{ to, data }, "latest"]))) === 1n;
}

function creationOf({ eid, inner }: MessengerEnd): Hex {
	const { creation: bytecode } = compileContracts().SandboxOft;
	return encodeDeployData({ abi: oftAbi, bytecode, args: [eid, inner] });
}

/** Puts the contract where it is wanted, as its creation would leave it. */
async function place(end: MessengerEnd): Promise<void> {
	const { rpc } = end.chain;
	const code = await rpc.call("eth_call", [{ data: creationOf(end) }, "latest"]);
	await rpc.call("anvil_setCode", [end.at, code]);
	const fee = `0x${FEE_RAW.toString(16).padStart(64, "0")}`;
	await rpc.call("anvil_setStorageAt", [end.at, toHex(SLOTS.fee), fee]);
}

async function placePeer(end: MessengerEnd, eid: number, peer: Address): Promise<void> {
	const types = [{ type: "uint32" }, { type: "uint256" }] as const;
	const slot = keccak256(encodeAbiParameters(types, [eid, SLOTS.peers]));
	await end.chain.rpc.call("anvil_setStorageAt", [end.at, slot, wordOf(peer)]);
}

async function deploy(end: MessengerEnd): Promise<Address> {
	const { rpc } = end.chain;
	const hash = await sendAsSolver(rpc, { data: creationOf(end) });
	const told = await rpc.call("eth_getTransactionReceipt", [hash]);
	return receiptSchema.parse(told).contractAddress.toLowerCase() as Address;
}
