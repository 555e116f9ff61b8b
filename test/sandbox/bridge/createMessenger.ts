import {
	type Address,
	decodeEventLog,
	encodeDeployData,
	encodeFunctionData,
	type Hex,
	parseAbi,
} from "viem";
import { z } from "zod";
import { compileContracts } from "../compileContracts.ts";
import type { BridgeChain } from "./BridgeWorld.ts";
import { sendAsSolver } from "./openBridgeChain.ts";

/** As far as the sandbox itself calls it. */
export const oftAbi = parseAbi([
	"constructor(uint32 eid, address inner)",
	"function setPeer(uint32 eid, bytes32 peer)",
	"function setFee(uint256 fee)",
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

/**
 * Opens a token that crosses two chains by messages, and carries them: what LayerZero's endpoint,
 * verifiers and executor do together. Where `inner` is named, the contract there holds that token.
 */
export async function createMessenger(
	ends: readonly { chain: BridgeChain; eid: number; inner: Address }[],
): Promise<Messenger> {
	const ofts = new Map<number, Address>();
	for (const { chain, eid, inner } of ends) ofts.set(chain.id, await deploy(chain, eid, inner));
	const carried: Hex[] = [];
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
		for (const there of ends) {
			const peer = ofts.get(there.chain.id);
			if (here !== there && peer) await setPeer(here.chain.id, there.eid, peer);
		}
	}

	async function turn(): Promise<void> {
		for (const { chain } of ends) {
			const asked = { address: ofts.get(chain.id), fromBlock: "0x0", toBlock: "latest" };
			for (const log of logsSchema.parse(await chain.rpc.call("eth_getLogs", [asked]))) {
				const packet = packetOf(log);
				// One address may be a contract on each.
				const other = ends.find(({ chain: one }) => {
					return one !== chain && wordOf(ofts.get(one.id)) === packet?.receiver;
				});
				if (!packet || !other || carried.includes(packet.guid) || !isCarrying) continue;
				carried.push(packet.guid);
				const { srcEid, sender, guid, to, amountSD } = packet;
				const args = [srcEid, sender, guid, to, amountSD] as const;
				await call(
					other.chain,
					encodeFunctionData({ abi: oftAbi, functionName: "lzReceive", args }),
				);
			}
		}
	}

	const watching = (async () => {
		while (!isStopped) {
			await turn().catch(() => {});
			await Bun.sleep(POLL_MS);
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

async function deploy({ rpc }: BridgeChain, eid: number, inner: Address): Promise<Address> {
	const { creation: bytecode } = compileContracts().SandboxOft;
	const hash = await sendAsSolver(rpc, {
		data: encodeDeployData({ abi: oftAbi, bytecode, args: [eid, inner] }),
	});
	const told = await rpc.call("eth_getTransactionReceipt", [hash]);
	return receiptSchema.parse(told).contractAddress.toLowerCase() as Address;
}
