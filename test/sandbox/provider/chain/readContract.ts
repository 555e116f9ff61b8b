import { type Address, type Hex, zeroAddress, zeroHash } from "viem";
import { addresses } from "../../addresses.ts";
import { conduitKey } from "../../conduitKey.ts";
import type { Rpc } from "../../Rpc.ts";
import type { ContractFacts } from "../market/Market.ts";
import { callViews } from "./callViews.ts";
import { readDataUri } from "./readDataUri.ts";
import { readTraitIds } from "./readTraitIds.ts";
import { viewAbi } from "./viewAbi.ts";

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

function royaltyOf(answer: unknown): ContractFacts["royalty"] {
	if (!Array.isArray(answer)) return null;
	const [recipient, amount] = answer;
	if (typeof recipient !== "string" || typeof amount !== "bigint") return null;
	if (recipient === zeroAddress || amount === 0n) return null;
	return { recipient: lower(recipient), percent: Number(amount) / 100 };
}

function lower(address: string): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
