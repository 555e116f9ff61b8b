import {
	type Abi,
	encodeAbiParameters,
	encodeFunctionData,
	getContractAddress,
	type Hex,
	maxUint256,
	parseAbiParameters,
	parseEther,
} from "viem";
import { addresses } from "./addresses.ts";
import { type CollectionPlan, catalogue } from "./catalogue.ts";
import { type Artifacts, compileContracts } from "./compileContracts.ts";
import { emptyWorld, type WorldDraft } from "./emptyWorld.ts";
import { planFeeds } from "./feeds/planFeeds.ts";
import { installSeaport } from "./installSeaport.ts";
import { mineBlock } from "./mineBlock.ts";
import type { Rpc } from "./Rpc.ts";
import { tokenAbi } from "./tokenAbi.ts";
import type { PlannedTx } from "./traffic/Scene.ts";
import type { Actor, World } from "./World.ts";

const setup721 = parseAbiParameters([
	"Setup setup",
	"struct Setup { string name; string symbol; string about; uint256 price; uint256 maxSupply; uint256 hue; uint256 motif; bool hidden; }",
]);
const setup1155 = parseAbiParameters([
	"Setup setup",
	"struct Setup { string name; string symbol; string about; uint256 price; uint256 editions; uint256 hue; uint256 motif; }",
]);

/**
 * Deploys Seaport, the currencies and the collections into an empty chain, in blocks 1 and 2;
 * returns the world.
 */
export async function createWorld(rpc: Rpc, draft: WorldDraft): Promise<World> {
	const { actors, startS } = draft;
	const artifacts = compileContracts();
	const owner = actors[0];
	const banker = actors[catalogue.length];
	if (!owner || !banker) throw new Error("more collections than people");
	const openConduit = await installSeaport(rpc, owner.address);
	// Solady's WETH keeps no state from its constructor, so its runtime code is enough.
	await rpc.call("anvil_setCode", [addresses.weth, artifacts.WETH.runtime]);
	const world = emptyWorld(draft, getContractAddress({ from: banker.address, nonce: 0n }));
	const deploys = catalogue.map((plan, actor) =>
		call(actor, { to: "0x", data: creationOf(plan, artifacts) }),
	);
	deploys.push(call(catalogue.length, { to: "0x", data: artifacts.SandboxCoin.creation }));
	const planned = planFeeds(banker.address, artifacts.SandboxFeed.creation);
	world.feeds = planned.feeds;
	deploys.push(...planned.deploys.map((data) => call(catalogue.length, { to: "0x", data })));
	deploys.push(call(0, openConduit));
	await mineBlock(rpc, { world, actors, txs: deploys, timeS: startS - 30 });
	await mineBlock(rpc, { world, actors, txs: openPurses(world, actors), timeS: startS - 15 });
	return world;
}

/**
 * Returns the transactions that give every actor WETH and coins, and allow the conduit to move
 * these and the tokens of every collection.
 */
function openPurses(world: World, actors: readonly Actor[]): PlannedTx[] {
	const approveAll = encode("setApprovalForAll", [addresses.conduit, true]);
	const approve = encode("approve", [addresses.conduit, maxUint256]);
	return actors.flatMap(({ address }, actor) => [
		call(actor, { to: addresses.weth, data: encode("deposit", []), value: parseEther("50000") }),
		call(actor, { to: addresses.weth, data: approve }),
		call(actor, { to: world.coin, data: encode("mint", [address, 10n ** 15n]) }),
		call(actor, { to: world.coin, data: approve }),
		...world.collections.map((collection) =>
			call(actor, { to: collection.address, data: approveAll }),
		),
	]);
}

function creationOf(plan: CollectionPlan, artifacts: Artifacts): Hex {
	const { name, symbol, about } = plan;
	const common = { name, symbol, about, price: parseEther(plan.mintEther) };
	const look = { hue: BigInt(plan.hue), motif: BigInt(plan.motif) };
	const maxSupply = BigInt(plan.maxSupply);
	if (plan.standard === "erc1155") {
		const setup = { ...common, ...look, editions: maxSupply };
		return `${artifacts.Sandbox1155.creation}${encodeAbiParameters(setup1155, [setup]).slice(2)}`;
	}
	const setup = { ...common, ...look, maxSupply, hidden: plan.reveal !== undefined };
	return `${artifacts.Sandbox721.creation}${encodeAbiParameters(setup721, [setup]).slice(2)}`;
}

function encode(functionName: string, args: readonly unknown[]): Hex {
	const abi: Abi = tokenAbi;
	return encodeFunctionData({ abi, functionName, args });
}

function call(actor: number, to: { to: Hex; data: Hex; value?: bigint }): PlannedTx {
	return { actor, to: to.to, data: to.data, value: to.value ?? 0n, label: "setup" };
}
