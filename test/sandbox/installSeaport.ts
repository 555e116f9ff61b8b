// Puts Seaport 1.6, its controller and a conduit at their mainnet addresses.

import { createRequire } from "node:module";
import {
	type Address,
	concatHex,
	decodeFunctionResult,
	encodeAbiParameters,
	encodeFunctionData,
	type Hex,
	isHex,
	keccak256,
	pad,
	parseAbi,
	toHex,
} from "viem";
import { z } from "zod";
import type { Rpc } from "./createRpc.ts";
import { addresses, conduitKey } from "./knownContracts.ts";

const Artifact = z.object({ bytecode: z.custom<Hex>((value) => isHex(value)) });
const artifactRoot = "@opensea/seaport-js/src/artifacts/seaport/contracts";
const artifactFile = {
	seaport: "Seaport.sol/Seaport.json",
	controller: "conduit/ConduitController.sol/LocalConduitController.json",
	conduit: "conduit/Conduit.sol/LocalConduit.json",
};

// keccak256 of the creation code of mainnet's Conduit: with it the controller derives mainnet's
// conduit addresses from mainnet's keys (checked by openConduit: the controller finds it there).
const mainnetConduitCreationHash =
	"0x023d904f2503c37127200ca07b976c3a53cc562623f67023115bf311f5805059";

const controllerAbi = parseAbi([
	"function getConduitCodeHashes() view returns (bytes32 creation, bytes32 runtime)",
	"function getConduit(bytes32 key) view returns (address conduit, bool exists)",
	"function updateChannel(address conduit, address channel, bool isOpen)",
]);

/**
 * Puts Seaport 1.6, its controller and the OpenSea conduit at their mainnet addresses; returns the
 * call that opens the conduit.
 *
 * Each constructor runs *at* its final address (creation code set as code, then called): so the
 * immutables, above all the EIP-712 domain with `address(this)`, are as compiled, and no byte of
 * Seaport or the conduit is patched by hand.
 */
export async function installSeaport(
	rpc: Rpc,
	owner: Address,
): Promise<{ to: Address; data: Hex }> {
	const controller = await construct(rpc, addresses.conduitController, {
		creation: readBytecode("controller"),
	});
	const hashes = decodeFunctionResult({
		abi: controllerAbi,
		functionName: "getConduitCodeHashes",
		data: await read(rpc, controllerAbi, {
			to: addresses.conduitController,
			functionName: "getConduitCodeHashes",
		}),
	});
	// Its two immutable hashes are the only bytes set by hand: the first gives mainnet's conduit
	// addresses, by the second getConduit knows that a conduit exists.
	const conduit = await construct(rpc, addresses.conduit, {
		creation: readBytecode("conduit"),
		from: addresses.conduitController,
	});
	const patched = controller
		.replaceAll(hashes[0].slice(2), mainnetConduitCreationHash.slice(2))
		.replaceAll(hashes[1].slice(2), keccak256(conduit).slice(2));
	await rpc.call("anvil_setCode", [addresses.conduitController, patched]);
	const argument = encodeAbiParameters([{ type: "address" }], [addresses.conduitController]);
	await construct(rpc, addresses.seaport, {
		creation: concatHex([readBytecode("seaport"), argument]),
	});
	return openConduit(rpc, owner);
}

/**
 * Registers the conduit with the controller and returns the call with which its owner opens it for
 * Seaport.
 */
async function openConduit(rpc: Rpc, owner: Address): Promise<{ to: Address; data: Hex }> {
	// ConduitProperties in mapping slot 0: key, owner, potential owner, channels.
	const slot = keccak256(
		encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [addresses.conduit, 0n]),
	);
	const ownerSlot = toHex(BigInt(slot) + 1n, { size: 32 });
	await rpc.batch([
		{ method: "anvil_setStorageAt", params: [addresses.conduitController, slot, conduitKey] },
		{ method: "anvil_setStorageAt", params: [addresses.conduitController, ownerSlot, pad(owner)] },
	]);
	const [conduit, exists] = decodeFunctionResult({
		abi: controllerAbi,
		functionName: "getConduit",
		data: await read(rpc, controllerAbi, {
			to: addresses.conduitController,
			functionName: "getConduit",
			args: [conduitKey],
		}),
	});
	if (conduit !== addresses.conduit || !exists) throw new Error(`the conduit is at ${conduit}`);
	const args = [addresses.conduit, addresses.seaport, true] as const;
	return {
		to: addresses.conduitController,
		data: encodeFunctionData({ abi: controllerAbi, functionName: "updateChannel", args }),
	};
}

async function construct(
	rpc: Rpc,
	at: Address,
	code: { creation: Hex; from?: Address },
): Promise<Hex> {
	const { creation, from } = code;
	await rpc.batch([
		{ method: "anvil_setNonce", params: [at, "0x1"] },
		{ method: "anvil_setCode", params: [at, creation] },
	]);
	const call = { ...(from && { from }), to: at, data: "0x", gas: toHex(30_000_000) };
	const runtime = z
		.custom<Hex>((value) => isHex(value))
		.parse(await rpc.call("eth_call", [call, "latest"]));
	await rpc.call("anvil_setCode", [at, runtime]);
	return runtime;
}

async function read(
	rpc: Rpc,
	abi: typeof controllerAbi,
	call:
		| { to: Address; functionName: "getConduitCodeHashes" }
		| { to: Address; functionName: "getConduit"; args: [Hex] },
): Promise<Hex> {
	const data = encodeFunctionData({ abi, ...call });
	return z
		.custom<Hex>((value) => isHex(value))
		.parse(await rpc.call("eth_call", [{ to: call.to, data }, "latest"]));
}

function readBytecode(name: keyof typeof artifactFile): Hex {
	const require = createRequire(import.meta.url);
	// Only src/artifacts has the JSON; the package exports no path to it, so it is found from its
	// main file.
	const packageFile = require.resolve("@opensea/seaport-js/package.json");
	const root = packageFile.slice(0, -"@opensea/seaport-js/package.json".length);
	return Artifact.parse(require(`${root}${artifactRoot}/${artifactFile[name]}`)).bytecode;
}
