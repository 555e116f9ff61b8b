import { encodeFunctionData, type Hex, keccak256, parseAbi, toHex } from "viem";

export const revealAbi = parseAbi([
	"constructor(string name, string shared, string base, uint256 price, bytes32 provenanceHash)",
	"function mint(address to, uint256 quantity)",
	"function setBase(string base, bool tells)",
	"function setStartingIndex(string base, uint256 startingIndex)",
	"function setEach(string base)",
]);

/** A way in which a hidden collection is revealed. */
export type RevealKind = {
	about: string;
	/** True: every token has its own URI while it is hidden; else all share one. */
	hasOwnUris: boolean;
	/** The owner's call that reveals it, for a documents' base URL; null: only the server changes. */
	call: ((base: string) => Hex) | null;
};

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

/**
 * Returns the hash that a collection publishes before its reveal: of all its documents, in order.
 */
export function provenanceHashOf(tokens: number): Hex {
	const documents = Array.from({ length: tokens }, (_, index) => openDocument(index + 1));
	return keccak256(toHex(JSON.stringify(documents)));
}
