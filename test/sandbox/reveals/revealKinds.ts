// Lists the kinds of collections that reveal, and how each does it.

import { type Address, encodeFunctionData, type Hex, keccak256, parseAbi, toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Rpc } from "../createRpc.ts";
import type { Actor } from "../World.ts";

/** A way in which a hidden collection is revealed. */
export type RevealKind = {
	about: string;
	/** True: every token has its own URI while it is hidden; else all share one. */
	hasOwnUris: boolean;
	/** The owner's call that reveals it, for a documents' base URL; null: only the server changes. */
	call: ((base: string) => Hex) | null;
};

export type SentCall = { to?: Address; data: Hex; value?: bigint };

export const revealAbi = parseAbi([
	"constructor(string name, string shared, string base, uint256 price, bytes32 provenanceHash)",
	"function mint(address to, uint256 quantity)",
	"function setBase(string base, bool tells)",
	"function setStartingIndex(string base, uint256 startingIndex)",
	"function setEach(string base)",
]);

const STARTING_INDEX = 17n;

/** All kinds, by the name that `POST /_sandbox/reveals` takes. */
export const revealKinds = {
	announced: {
		about: "another base URI, and an event of ERC-4906",
		hasOwnUris: false,
		call: (base) =>
			encodeFunctionData({ abi: revealAbi, functionName: "setBase", args: [base, true] }),
	},
	silent: {
		about: "another base URI, and no event at all",
		hasOwnUris: false,
		call: (base) =>
			encodeFunctionData({ abi: revealAbi, functionName: "setBase", args: [base, false] }),
	},
	one_by_one: {
		about: "the server opens one token after the other, under URIs that never change",
		hasOwnUris: true,
		call: null,
	},
	provenance: {
		about: "a hash of all documents from the beginning, then an index that says whose is whose",
		hasOwnUris: false,
		call: (base) =>
			encodeFunctionData({
				...{ abi: revealAbi, functionName: "setStartingIndex" },
				args: [base, STARTING_INDEX],
			}),
	},
	each: {
		about: "a new URI for each token, all in one block, each with an event",
		hasOwnUris: false,
		call: (base) => encodeFunctionData({ abi: revealAbi, functionName: "setEach", args: [base] }),
	},
} satisfies Record<string, RevealKind>;

export type RevealName = keyof typeof revealKinds;
export const REVEAL_NAMES = Object.keys(revealKinds) as [RevealName, ...RevealName[]];

/** The document of a hidden token. */
export const sealedDocument = {
	name: "Not open yet",
	description: "Opens later.",
	image: "https://images.invalid/sealed.png",
};

const SELLERS = 5;
const WEALTH = toHex(10n ** 24n);
const GAS = toHex(40_000_000);
const RECEIPT_EVERY_MS = 20;

/**
 * Holders of the tokens of collections that are opened on demand. They are none of the world's
 * traders: the planner counts those traders' nonces, and these accounts send at any time.
 */
export const revealSellers: readonly Actor[] = Array.from({ length: SELLERS }, (_, index) => {
	const privateKey = keccak256(toHex(`sandbox reveal seller ${index}`));
	return { privateKey, address: lower(privateKeyToAddress(privateKey)) };
});

/** The account that opens such collections, and the buyer that is faster than everybody else. */
export const revealOwner = accountOf("sandbox reveal owner");
export const rival = accountOf("sandbox rival");

/**
 * Returns the hash that a collection publishes before its reveal: of all its documents, in order.
 */
export function provenanceHashOf(tokens: number): Hex {
	const documents = Array.from({ length: tokens }, (_, index) => openDocument(index + 1));
	return keccak256(toHex(JSON.stringify(documents)));
}

/** Returns the document of a revealed token: some trait values are rare, and one is unique. */
export function openDocument(id: number) {
	const rare = id % 20 === 0 ? "Gilded" : id % 5 === 0 ? "Lacquered" : "Plain";
	return {
		name: `Seed ${id}`,
		description: "It grew.",
		image: `https://images.invalid/${id}.png`,
		attributes: [
			{ trait_type: "Finish", value: rare },
			{ trait_type: "Ground", value: ["Dusk", "Slate", "Frost"][id % 3] },
			{ trait_type: "Number", value: `No. ${id}` },
		],
	};
}

/** Sends from one of these accounts, which the node signs for; returns the transaction's hash. */
export async function sendFrom(rpc: Rpc, from: Address, call: SentCall): Promise<Hex> {
	await rpc.batch([
		{ method: "anvil_impersonateAccount", params: [from] },
		{ method: "anvil_setBalance", params: [from, WEALTH] },
	]);
	const { value = 0n, ...rest } = call;
	const sent = { from, gas: GAS, value: toHex(value), ...rest };
	return String(await rpc.call("eth_sendTransaction", [sent])) as Hex;
}

/** Waits until a transaction is mined, however the chain mines. Throws if it reverted. */
export async function untilMined(rpc: Rpc, hash: Hex): Promise<void> {
	for (;;) {
		const receipt = await rpc.call("eth_getTransactionReceipt", [hash]);
		const status = receipt && typeof receipt === "object" && "status" in receipt && receipt.status;
		if (status === "0x1") return;
		if (status) throw new Error(`transaction ${hash} reverted`);
		await Bun.sleep(RECEIPT_EVERY_MS);
	}
}

function accountOf(name: string): Address {
	return lower(privateKeyToAddress(keccak256(toHex(name))));
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
