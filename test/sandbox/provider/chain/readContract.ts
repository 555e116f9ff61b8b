// Reads what a collection's contract and tokens tell of themselves.

import {
	type Abi,
	type Address,
	decodeFunctionResult,
	encodeFunctionData,
	type Hex,
	isHex,
	parseAbi,
	zeroAddress,
	zeroHash,
} from "viem";
import { z } from "zod";
import type { Rpc } from "../../createRpc.ts";
import { addresses, conduitKey } from "../../knownContracts.ts";
import type { Collection, ContractFacts, Currency, Metadata, Trait } from "../market/Market.ts";
import { ether } from "../market/Market.ts";

export type View = { to: Address; abi: Abi; functionName: string; args?: readonly unknown[] };

export type MetadataCache = {
	/** Returns metadata in the order of the ids; reads missing ones from the chain. */
	of(collection: Collection, ids: readonly bigint[]): Promise<Metadata[]>;
	/** Drops these: they have changed. */
	forget(collection: Collection, range: { fromId: bigint; toId: bigint }): void;
	clear(): void;
};

const Reply = z.object({ id: z.int(), result: z.custom<Hex>((value) => isHex(value)).optional() });
const CALLS_PER_REQUEST_MAX = 200;
const REQUEST_TIMEOUT_MS = 30_000;

const Described = z.object({
	name: z.string().optional().catch(undefined),
	description: z.string().optional().catch(undefined),
	image: z.string().optional().catch(undefined),
	attributes: z
		.array(z.object({ trait_type: z.string(), value: z.union([z.string(), z.number()]) }))
		.optional()
		.catch(undefined),
});

export type Described = z.infer<typeof Described>;

/** The views that the emulator calls on contracts; most contracts support only some. */
const viewAbi = parseAbi([
	"function name() view returns (string)",
	"function symbol() view returns (string)",
	"function decimals() view returns (uint8)",
	"function contractURI() view returns (string)",
	"function owner() view returns (address)",
	"function price() view returns (uint256)",
	"function maxSupply() view returns (uint256)",
	"function royaltyInfo(uint256 id, uint256 price) view returns (address, uint256)",
	"function isApprovedForAll(address owner, address operator) view returns (bool)",
	"function tokenURI(uint256 id) view returns (string)",
	"function uri(uint256 id) view returns (string)",
]);

const NOTHING: Metadata = { uri: "", name: null, description: null, image: null, traits: [] };

/** One entry is some 3 KB, with its picture. */
const HELD_MAX = 6_000;

/** How many first tokens are read for trait offers, which name ids. */
export const TOKENS_FOR_TRAITS = 40;

/** The rate of the world's own coin is fixed by its traffic: 2,500 per ether. */
const ETHER_PER_UNIT: Record<string, number> = { WETH: 1, LNTRN: 1 / 2_500 };

/**
 * Reads everything that a collection's contract tells about itself and about who may sell there.
 */
export async function readContract(
	rpc: Rpc,
	contract: { address: Address; standard: "erc721" | "erc1155" },
	actors: readonly Address[],
): Promise<ContractFacts> {
	const ask = (functionName: string, args: readonly unknown[] = []) => ({
		to: contract.address,
		abi: viewAbi,
		functionName,
		args,
	});
	const [name, uri, owner, price, maxSupply, royalty] = await callViews(rpc, [
		ask("name"),
		ask("contractURI"),
		ask("owner"),
		ask("price"),
		ask("maxSupply"),
		ask("royaltyInfo", [1n, 10_000n]),
	]);
	const said = typeof uri === "string" ? readDataUri(uri) : null;
	return {
		...contract,
		name: typeof name === "string" && name !== "" ? name : contract.address,
		description: said?.description ?? null,
		image: said?.image ?? null,
		owner: typeof owner === "string" ? lower(owner) : null,
		mint:
			typeof price === "bigint"
				? { priceRaw: price, maxSupply: typeof maxSupply === "bigint" ? maxSupply : null }
				: null,
		royalty: royaltyOf(royalty),
		conduitKeys: await readConduitKeys(rpc, contract.address, actors),
		traitIds: await readTraitIds(rpc, contract),
	};
}

/** Makes a cache of tokens' metadata, read when first needed and kept while there is room. */
export function createMetadataCache(rpc: Rpc): MetadataCache {
	const held = new Map<string, Metadata>();
	return {
		async of(collection, ids) {
			const { slug, facts } = collection;
			const keyOf = (id: bigint) => `${slug}/${id}`;
			const missing = ids.filter((id) => !held.has(keyOf(id)));
			const read = new Map<bigint, Metadata>();
			for (const [n, metadata] of (await readMetadata(rpc, facts, missing)).entries()) {
				const id = missing[n];
				if (id === undefined) continue;
				read.set(id, metadata);
				// A call that reverted may succeed later: the token's transfer is known before its state.
				if (metadata.uri !== "") held.set(keyOf(id), metadata);
			}
			const answer = ids.map((id) => read.get(id) ?? held.get(keyOf(id)));
			for (const key of held.keys()) {
				if (held.size <= HELD_MAX) break;
				held.delete(key);
			}
			return answer.filter((metadata) => metadata !== undefined);
		},
		forget({ slug }, { fromId, toId }) {
			for (const key of held.keys()) {
				const [of, id] = key.split("/");
				if (of === slug && BigInt(id ?? 0) >= fromId && BigInt(id ?? 0) <= toId) held.delete(key);
			}
		},
		clear: () => held.clear(),
	};
}

/**
 * Returns which of the first tokens have each trait; empty for editions, which get bids per item.
 */
export async function readTraitIds(
	rpc: Rpc,
	contract: { address: Address; standard: "erc721" | "erc1155" },
): Promise<ContractFacts["traitIds"]> {
	if (contract.standard === "erc1155") return new Map();
	const ids = Array.from({ length: TOKENS_FOR_TRAITS }, (_, n) => BigInt(n + 1));
	const found = new Map<string, { trait: Trait; ids: bigint[] }>();
	for (const [n, { traits }] of (await readMetadata(rpc, contract, ids)).entries()) {
		for (const trait of traits) {
			const key = `${trait.type}/${trait.value}`;
			const entry = found.get(key) ?? { trait, ids: [] };
			found.set(key, entry);
			entry.ids.push(BigInt(n + 1));
		}
	}
	return found;
}

/** Reads the metadata of these tokens, in the given order. */
async function readMetadata(
	rpc: Rpc,
	contract: { address: Address; standard: "erc721" | "erc1155" },
	ids: readonly bigint[],
): Promise<Metadata[]> {
	const functionName = contract.standard === "erc721" ? "tokenURI" : "uri";
	const views = ids.map((id) => ({
		to: contract.address,
		abi: viewAbi,
		functionName,
		args: [id],
	}));
	const uris = await callViews(rpc, views);
	return uris.map((uri) => {
		if (typeof uri !== "string") return NOTHING;
		const said = readDataUri(uri);
		if (!said) return { ...NOTHING, uri };
		const traits = (said.attributes ?? []).map(({ trait_type, value }) => ({
			type: trait_type,
			value: String(value),
		}));
		return {
			uri,
			name: said.name ?? null,
			description: said.description ?? null,
			image: said.image ?? null,
			traits,
		};
	});
}

/**
 * Returns the JSON in a `data:` URI; null for any other URI: this world keeps everything on chain.
 */
export function readDataUri(uri: string): Described | null {
	const [head, body] = uri.split(/,(.*)/s, 2);
	if (!head?.startsWith("data:application/json") || body === undefined) return null;
	try {
		const text = head.endsWith(";base64")
			? Buffer.from(body, "base64").toString()
			: decodeURIComponent(body);
		return Described.parse(JSON.parse(text));
	} catch {
		return null;
	}
}

/** Reads a payment token from its contract; null where that is no ERC-20. */
export async function readCurrency(rpc: Rpc, address: Address): Promise<Currency | null> {
	if (address === zeroAddress) return ether;
	const ask = (functionName: string) => ({ to: address, abi: viewAbi, functionName });
	const [symbol, name, decimals] = await callViews(rpc, [
		ask("symbol"),
		ask("name"),
		ask("decimals"),
	]);
	if (typeof symbol !== "string" || typeof decimals !== "number") return null;
	const isWeth = address === addresses.weth.toLowerCase();
	return {
		address,
		symbol,
		name: typeof name === "string" ? name : symbol,
		decimals,
		etherPerUnit: isWeth ? 1 : (ETHER_PER_UNIT[symbol] ?? 0),
	};
}

/**
 * Calls many views at once; a result is undefined where the call reverts or does not match its ABI.
 *
 * Not by `Rpc.batch`, where one failure fails all: half of these calls find out whether a contract
 * supports them.
 */
export async function callViews(rpc: Rpc, views: readonly View[]): Promise<unknown[]> {
	const results: unknown[] = new Array(views.length).fill(undefined);
	for (let at = 0; at < views.length; at += CALLS_PER_REQUEST_MAX) {
		const part = views.slice(at, at + CALLS_PER_REQUEST_MAX);
		const response = await fetch(rpc.url, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(part.map((view, id) => requestOf(view, id))),
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		});
		for (const { id, result } of z.array(Reply).parse(await response.json())) {
			const view = part[id];
			if (view && result !== undefined) results[at + id] = decode(view, result);
		}
	}
	return results;
}

function lower(address: string): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}

function royaltyOf(answer: unknown): ContractFacts["royalty"] {
	if (!Array.isArray(answer)) return null;
	const [recipient, amount] = answer;
	if (typeof recipient !== "string" || typeof amount !== "bigint") return null;
	if (recipient === zeroAddress || amount === 0n) return null;
	return { recipient: lower(recipient), percent: Number(amount) / 100 };
}

async function readConduitKeys(
	rpc: Rpc,
	contract: Address,
	actors: readonly Address[],
): Promise<Map<Address, Hex>> {
	const operators = [
		{ operator: addresses.conduit, key: conduitKey },
		{ operator: addresses.seaport, key: zeroHash },
	];
	const keys = new Map<Address, Hex>();
	for (const { operator, key } of operators) {
		const open = actors.filter((actor) => !keys.has(actor));
		const views = open.map((actor) => ({
			to: contract,
			abi: viewAbi,
			functionName: "isApprovedForAll",
			args: [actor, operator],
		}));
		for (const [n, isApproved] of (await callViews(rpc, views)).entries()) {
			const actor = open[n];
			if (actor && isApproved === true) keys.set(actor, key);
		}
	}
	return keys;
}

function requestOf({ to, abi, functionName, args }: View, id: number): object {
	const data = encodeFunctionData({ abi, functionName, args: args ?? [] });
	return { jsonrpc: "2.0", id, method: "eth_call", params: [{ to, data }, "latest"] };
}

function decode({ abi, functionName }: View, data: Hex): unknown {
	try {
		return decodeFunctionResult({ abi, functionName, data });
	} catch {
		return undefined;
	}
}
