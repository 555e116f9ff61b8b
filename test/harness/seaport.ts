// Puts Seaport 1.6 and test tokens on a chain, and signs orders there.

import { join } from "node:path";
import {
	type Abi,
	decodeFunctionResult,
	encodeDeployData,
	encodeFunctionData,
	getContractAddress,
	type Hex,
	numberToHex,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Anvil } from "#test/harness/anvil.ts";
import { nodeAccounts } from "#test/harness/fixtures.ts";
import {
	type Call,
	type ConsiderationItem,
	type OrderItem,
	type Receipt,
	type SignedOrder,
	seaportFilling,
} from "#test/harness/seaportOrder.ts";
import { until } from "#test/harness/until.ts";
import { signingDigest } from "#test/sandbox/seaportOrder.ts";

export type SeaportChain = Awaited<ReturnType<typeof deploySeaport>>;

const ARTIFACTS = join(import.meta.dir, "../../node_modules/@opensea/seaport-js/src/artifacts");
const SEAPORT: Hex = "0x0000000000000068f116a894984e2db1123eb395";
const CONTROLLER: Hex = "0x00000000f9490004c11cef243f5400493c00ad63";
const ZERO: Hex = "0x0000000000000000000000000000000000000000";
const ZERO_WORD: Hex = `0x${"0".repeat(64)}`;

/**
 * Puts Seaport 1.6, its conduit controller and test tokens on a chain, and fills orders there.
 *
 * Seaport is at its canonical address and fully works there. Its domain separator is an immutable
 * derived from the contract's own address, so a copy of code deployed elsewhere would only accept
 * signatures for the wrong contract. Instead the *creation* code is set as the code of the
 * canonical address and called: the constructor then runs at that address, its result is the right
 * runtime code, and sending the same call as a transaction leaves its storage and its helper
 * contract behind. The reentrancy guard needs no storage where TSTORE exists (cancun).
 *
 * All `accounts` have approved Seaport for all test tokens and hold 1000 ERC-20 units (18 decimals)
 * of each of the two.
 */
export async function deploySeaport(anvil: Anvil) {
	const [seaport, controller, erc721, erc1155, erc20] = await Promise.all([
		readArtifact("seaport/contracts/Seaport.sol/Seaport.json"),
		readArtifact("seaport/contracts/conduit/ConduitController.sol/LocalConduitController.json"),
		readArtifact("src/contracts/test/TestERC721.sol/TestERC721.json"),
		readArtifact("src/contracts/test/TestERC1155.sol/TestERC1155.json"),
		readArtifact("src/contracts/test/TestERC20.sol/TestERC20.json"),
	]);
	const people = nodeAccounts().slice(0, 8);
	const accounts = people.map((person) => lower(person.address));
	const deployer = accounts[0] ?? ZERO;

	const send = async (call: Call & { to?: Hex; data: Hex }): Promise<Receipt> => {
		const hash = await anvil.rpc<Hex>("eth_sendTransaction", [
			{
				from: call.from,
				...(call.to && { to: call.to }),
				data: call.data,
				value: numberToHex(call.value ?? 0n),
				gas: numberToHex(16_000_000),
			},
		]);
		const receipt = await receiptOf(anvil, hash);
		if (receipt.status !== "0x1") {
			const why = await anvil
				.rpc("eth_call", [{ ...call, value: numberToHex(call.value ?? 0n) }, receipt.blockNumber])
				.catch(String);
			throw new Error(`transaction ${hash} reverted: ${why}`);
		}
		return receipt;
	};
	const constructAt = async (address: Hex, creationCode: Hex) => {
		await anvil.rpc("anvil_setCode", [address, creationCode]);
		const call = { from: deployer, to: address };
		const runtimeCode = await anvil.rpc<Hex>("eth_call", [{ ...call }, "latest"]);
		await send({ ...call, data: "0x" });
		await anvil.rpc("anvil_setCode", [address, runtimeCode]);
	};
	const deploy = async (artifact: Artifact): Promise<Hex> => {
		const nonce = await anvil.rpc<Hex>("eth_getTransactionCount", [deployer, "latest"]);
		await send({ from: deployer, data: artifact.bytecode });
		return lower(getContractAddress({ from: deployer, nonce: BigInt(nonce) }));
	};

	await constructAt(CONTROLLER, controller.bytecode);
	await constructAt(
		SEAPORT,
		encodeDeployData({ abi: seaport.abi, bytecode: seaport.bytecode, args: [CONTROLLER] }),
	);
	const tokens = {
		nft: await deploy(erc721),
		multi: await deploy(erc1155),
		coin: await deploy(erc20),
		otherCoin: await deploy(erc20),
	};
	const abis = { nft: erc721.abi, multi: erc1155.abi, coin: erc20.abi, otherCoin: erc20.abi };
	const world = { anvil, send, people, accounts, tokens, abis };
	for (const from of accounts) {
		for (const name of ["nft", "multi"] as const) {
			await callToken(world, name, "setApprovalForAll", [SEAPORT, true], from);
		}
		for (const name of ["coin", "otherCoin"] as const) {
			await callToken(world, name, "approve", [SEAPORT, 2n ** 256n - 1n], from);
			await callToken(world, name, "mint", [from, 1000n * 10n ** 18n], from);
		}
	}
	return {
		address: SEAPORT,
		accounts,
		tokens,
		send,
		...minting(world),
		...ordering(world),
		...seaportFilling({ address: SEAPORT, abi: seaport.abi, send }),
		...watching(world),
	};
}

type Artifact = { abi: Abi; bytecode: Hex };
type TokenName = "nft" | "multi" | "coin" | "otherCoin";
type World = {
	anvil: Anvil;
	send(call: Call & { to?: Hex; data: Hex }): Promise<Receipt>;
	people: readonly PrivateKeyAccount[];
	accounts: Hex[];
	tokens: Record<TokenName, Hex>;
	abis: Record<TokenName, Abi>;
};

/** Waits for the receipt: the node mines at once, but answers the hash first. */
async function receiptOf(anvil: Anvil, hash: Hex): Promise<Receipt> {
	const found: Receipt[] = [];
	await until(async () => {
		const receipt = await anvil.rpc<Receipt | null>("eth_getTransactionReceipt", [hash]);
		return receipt !== null && found.push(receipt) > 0;
	}, `transaction ${hash} is mined`);
	const [receipt] = found;
	if (!receipt) throw new Error(`transaction ${hash} was not mined`);
	return receipt;
}

async function readArtifact(path: string): Promise<Artifact> {
	return (await Bun.file(join(ARTIFACTS, path)).json()) as Artifact;
}

function lower(address: Hex): Hex {
	return address.toLowerCase() as Hex;
}

function callToken(
	world: World,
	name: TokenName,
	functionName: string,
	args: unknown[],
	from: Hex,
) {
	const data = encodeFunctionData({ abi: world.abis[name], functionName, args });
	return world.send({ from, to: world.tokens[name], data });
}

function minting(world: World) {
	let nextId = 1n;
	return {
		/** Mints an ERC-721, with a new id unless given; returns its id. */
		async mintNft(to: Hex, given?: bigint): Promise<bigint> {
			const id = given ?? nextId++;
			await callToken(world, "nft", "mint", [to, id], to);
			return id;
		},
		/** Mints units of a new ERC-1155 id; returns the id. */
		async mintMulti(to: Hex, amount: bigint): Promise<bigint> {
			const id = nextId++;
			await callToken(world, "multi", "mint", [to, id, amount], to);
			return id;
		},
	};
}

function ordering(world: World) {
	const item = (itemType: number, token: Hex, id: bigint, amount: bigint): OrderItem => ({
		itemType,
		token,
		identifierOrCriteria: id,
		startAmount: amount,
		endAmount: amount,
	});
	let nextSalt = 1n;
	return {
		native: (amount: bigint) => item(0, ZERO, 0n, amount),
		coin: (amount: bigint) => item(1, world.tokens.coin, 0n, amount),
		otherCoin: (amount: bigint) => item(1, world.tokens.otherCoin, 0n, amount),
		nft: (id: bigint) => item(2, world.tokens.nft, id, 1n),
		multi: (id: bigint, amount: bigint) => item(3, world.tokens.multi, id, amount),
		/** Any ERC-721 of the test collection; the filler names the token with a resolver. */
		anyNft: () => item(4, world.tokens.nft, 0n, 1n),
		to: (recipient: Hex, received: OrderItem): ConsiderationItem => ({ ...received, recipient }),
		/** Signs an order. `orderType` 1 allows partial fills. */
		async sign(order: {
			offerer: Hex;
			offer: OrderItem[];
			consideration: ConsiderationItem[];
			orderType?: number;
		}): Promise<SignedOrder> {
			const { totalOriginalConsiderationItems, ...components } = {
				offerer: order.offerer,
				zone: ZERO,
				offer: order.offer,
				consideration: order.consideration,
				orderType: order.orderType ?? 0,
				startTime: 0n,
				endTime: 2n ** 40n,
				zoneHash: ZERO_WORD,
				salt: nextSalt++,
				conduitKey: ZERO_WORD,
				totalOriginalConsiderationItems: BigInt(order.consideration.length),
			};
			const signer = world.people.find((person) => lower(person.address) === order.offerer);
			if (!signer) throw new Error(`${order.offerer} is none of the accounts`);
			const hash = signingDigest(components, { chainId: world.anvil.chainId });
			const signature = await signer.sign({ hash });
			return { parameters: { ...components, totalOriginalConsiderationItems }, signature };
		},
	};
}

function watching(world: World) {
	const view = async (name: TokenName, functionName: string, args: unknown[], block: Hex) => {
		const abi = world.abis[name];
		const data = encodeFunctionData({ abi, functionName, args });
		const call = { to: world.tokens[name], data };
		const answer = await world.anvil.rpc<Hex>("eth_call", [call, block]);
		return decodeFunctionResult({ abi, functionName, data: answer });
	};
	return {
		async ownerOf(id: bigint, block: Hex): Promise<Hex> {
			return lower((await view("nft", "ownerOf", [id], block)) as Hex);
		},
		async multiBalance(of: { owner: Hex; id: bigint }, block: Hex): Promise<bigint> {
			return (await view("multi", "balanceOf", [of.owner, of.id], block)) as bigint;
		},
		/** Returns how much an account's balance fell in a transaction's block, without its gas. */
		async spent(by: { account: Hex; currency: Hex }, receipt: Receipt): Promise<bigint> {
			const before = numberToHex(BigInt(receipt.blockNumber) - 1n);
			const at = async (block: Hex) => {
				if (by.currency === ZERO) {
					return BigInt(await world.anvil.rpc<Hex>("eth_getBalance", [by.account, block]));
				}
				const name = by.currency === world.tokens.coin ? "coin" : "otherCoin";
				return (await view(name, "balanceOf", [by.account], block)) as bigint;
			};
			const paidGas = by.currency === ZERO && lower(receipt.from) === by.account;
			const gas = paidGas ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) : 0n;
			return (await at(before)) - (await at(receipt.blockNumber)) - gas;
		},
	};
}
