// Opens a chain 4663 with Uniswap V3, the token, its router and its burner.

import { createRequire } from "node:module";
import {
	type Abi,
	type Address,
	decodeFunctionResult,
	encodeDeployData,
	encodeEventTopics,
	encodeFunctionData,
	type Hex,
	parseAbi,
	toHex,
	zeroAddress,
} from "viem";
import { compileFolder } from "#plugins/tokenomics/testing/compileFolder.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { compileContracts } from "#test/sandbox/compileContracts.ts";
import { uniswapBytecode } from "#test/sandbox/stocks/deployStockWorld.ts";

/** Functions of Uniswap, wrapped coins and tokens that are used here. */
const chainAbi = parseAbi([
	"function deposit() payable",
	"function approve(address spender, uint256 raw) returns (bool)",
	"function transfer(address to, uint256 raw) returns (bool)",
	"function balanceOf(address account) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function totalSupply() view returns (uint256)",
	"function mint(address to, uint256 raw)",
	"function setMode(uint8 mode)",
	"function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)",
	"function increaseObservationCardinalityNext(uint16 to)",
	"function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address pool)",
	"struct Mint { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
	"function mint(Mint params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)",
	"function positions(uint256 tokenId) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)",
	"struct Decrease { uint256 tokenId; uint128 liquidity; uint256 amount0Min; uint256 amount1Min; uint256 deadline; }",
	"function decreaseLiquidity(Decrease params) payable returns (uint256 amount0, uint256 amount1)",
	"struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
	"function exactInputSingle(Single params) payable returns (uint256 amountOut)",
	"function deposit(bytes32 source) payable",
	"function depositToken(bytes32 source, address token, uint256 amount)",
	"function setPayee(uint8 bucket, address payee)",
	"function earned(uint8 bucket, address currency) view returns (uint256)",
	"event BoughtAndBurned(address indexed keeper, address indexed paidWith, uint256 spent, uint256 burned, address pool)",
]);

export type BurnChain = Awaited<ReturnType<typeof openBurnChain>>;
export type PoolSpec = {
	tokenIn: Address;
	token: Address;
	fee: 500 | 3000 | 10000;
	in: bigint;
	out: bigint;
};

type Block = { transactions: { hash: Hex; from: Address }[] };
export type Swap = { tokenIn: Address; tokenOut: Address; fee: number; raw: bigint };

const GAS = toHex(12_000_000);
const ETHER = 10n ** 18n;
const FOREVER = 2n ** 40n;
/** The widest positions of each fee: the whole range of prices. */
const EDGE = { 500: 887_270, 3000: 887_220, 10000: 887_200 } as const;
const SPACING = { 500: 10, 3000: 60, 10000: 200 } as const;
const BURN_BUCKET = 2;
const NO_SOURCE = toHex(0, { size: 32 });

/**
 * Opens a chain 4663 with Uniswap V3, wrapped coins, a token, its router and burner. The node's
 * account 0 deploys and provides liquidity, 1 is the keeper, 5 pays revenue, 6 is the searcher.
 */
export async function openBurnChain(options: { token?: "TapelineToken" | "OddToken" } = {}) {
	const anvil: Anvil = await startAnvil({
		args: ["--chain-id", "4663", "--timestamp", String(Math.floor(Date.now() / 1000) - 86_400)],
	});
	const compiled = { ...compileFolder("contracts"), ...compileFolder("testing/contracts") };
	const accounts = (await anvil.rpc<Address[]>("eth_accounts")).map(lower);
	const [owner, keeper, holders, league, treasury, payer, searcher] = accounts;
	if (!owner || !keeper || !holders || !league || !treasury || !payer || !searcher) {
		throw new Error("no accounts");
	}

	async function send(from: Address, tx: { to?: Address; data?: Hex; value?: bigint }) {
		const { to, data = "0x", value = 0n } = tx;
		const receipt = await anvil.rpc<Receipt>("eth_sendTransactionSync", [
			{ from, gas: GAS, data, value: toHex(value), ...(to && { to }) },
		]);
		if (receipt.status !== "0x1") throw new Error("a transaction of the test reverted");
		return receipt;
	}
	type Receipt = { status: Hex; contractAddress: Address | null };

	async function deploy(code: Hex, abi: Abi = [], args: readonly unknown[] = []): Promise<Address> {
		const data = abi.length > 0 ? encodeDeployData({ abi, bytecode: code, args }) : code;
		const { contractAddress } = await send(owner as Address, { data });
		if (!contractAddress) throw new Error("nothing was deployed");
		return lower(contractAddress);
	}
	const own = (name: string, args: readonly unknown[] = []) => {
		const { abi, creation } = compiled[name] ?? { abi: [], creation: "0x" };
		return deploy(creation, abi, args);
	};
	const joined = (code: Hex, ...words: Address[]): Hex =>
		`${code}${words.map((word) => word.slice(2).padStart(64, "0")).join("")}`;

	const weth = lower("0x0bd7d308f8e1639fab988df18a8011f41eacad73");
	await anvil.rpc("anvil_setCode", [weth, compileContracts().WETH.runtime]);
	const factory = await deploy(uniswapBytecode("factory"));
	const positions = await deploy(joined(positionsCode(), factory, weth, zeroAddress));
	const swapRouter = await deploy(
		joined(uniswapBytecode("router"), zeroAddress, factory, positions, weth),
	);
	const quoter = await deploy(joined(uniswapBytecode("quoter"), factory, weth));
	const isOdd = options.token === "OddToken";
	const token = isOdd ? await own("OddToken") : await own("TapelineToken", [owner, 10n ** 28n]);
	const usd = await own("TapelineToken", [owner, 10n ** 30n]);
	const router = await own("RevenueRouter", [owner, [holders, league, keeper, treasury]]);
	const burner = await own("BuybackBurner", [owner, token, keeper, swapRouter]);
	const call = (to: Address, data: Hex, from = owner as Address, value = 0n) =>
		send(from, { to, data, value });
	const read = async (to: Address, data: Hex): Promise<Hex> =>
		anvil.rpc<Hex>("eth_call", [{ to, data }, "latest"]);
	for (const of of [owner, searcher]) {
		await call(weth, encode("deposit"), of, 2_000n * ETHER);
	}
	if (isOdd) await call(token, encode("mint", [owner, 10n ** 28n]));
	for (const one of [weth, token, usd]) {
		for (const spender of [positions, swapRouter]) {
			await call(one, encode("approve", [spender, 2n ** 200n]));
			await call(one, encode("approve", [spender, 2n ** 200n]), searcher);
		}
	}
	await call(usd, encode("transfer", [searcher, 10n ** 28n]));
	// Enough for gas only.
	await anvil.rpc("anvil_setBalance", [keeper, toHex(5n * 10n ** 16n)]);

	let nextPosition = 1n;
	/** Opens a pool over all prices with this amount on each side; returns its position. */
	async function openPool(
		spec: PoolSpec & { observations?: number },
	): Promise<{ pool: Address; position: bigint }> {
		const { tokenIn, fee } = spec;
		const isFirst = BigInt(tokenIn) < BigInt(spec.token);
		const [token0, token1] = isFirst ? [tokenIn, spec.token] : [spec.token, tokenIn];
		const [amount0Desired, amount1Desired] = isFirst ? [spec.in, spec.out] : [spec.out, spec.in];
		const price = squareRoot((amount1Desired << 192n) / amount0Desired);
		await call(
			positions,
			encode("createAndInitializePoolIfNecessary", [token0, token1, fee, price]),
		);
		const params = {
			...{ token0, token1, fee, tickLower: -EDGE[fee], tickUpper: EDGE[fee] },
			...{ amount0Desired, amount1Desired, amount0Min: 0n, amount1Min: 0n },
			...{ recipient: owner, deadline: FOREVER },
		};
		await call(positions, mintData(params));
		const pool = await read(factory, encode("getPool", [token0, token1, fee]));
		const address = lower(`0x${pool.slice(26)}`);
		const { observations = 100 } = spec;
		await call(address, encode("increaseObservationCardinalityNext", [observations]));
		nextPosition += 1n;
		return { pool: address, position: nextPosition - 1n };
	}
	/**
	 * Opens a pool as the searcher with one narrow position at this price, which holds only the token
	 * that is sold: deep for who buys, and without risk for its owner.
	 */
	async function openSided(spec: PoolSpec): Promise<void> {
		const { tokenIn, token, fee } = spec;
		const isFirst = BigInt(tokenIn) < BigInt(token);
		const [token0, token1] = isFirst ? [tokenIn, token] : [token, tokenIn];
		const spacing = SPACING[fee];
		const ratio = Number(spec.out) / Number(spec.in);
		const tick = Math.log(isFirst ? ratio : 1 / ratio) / Math.log(1.0001);
		const tickLower = Math.floor(tick / spacing) * spacing;
		const tickUpper = tickLower + spacing;
		const edge = isFirst ? 1.0001 ** (tickUpper / 2) * (1 - 1e-9) : 1.0001 ** (tickLower / 2);
		const price = BigInt(Math.floor(edge * (1 + (isFirst ? 0 : 1e-9)) * 2 ** 48)) << 48n;
		await call(
			positions,
			encode("createAndInitializePoolIfNecessary", [token0, token1, fee, price]),
			searcher,
		);
		const params = {
			...{ token0, token1, fee, tickLower, tickUpper },
			...{
				amount0Desired: isFirst ? spec.in : spec.out,
				amount1Desired: isFirst ? spec.out : spec.in,
			},
			...{ amount0Min: 0n, amount1Min: 0n, recipient: searcher, deadline: FOREVER },
		};
		await call(positions, mintData(params), searcher);
		const pool = await read(factory, encode("getPool", [token0, token1, fee]));
		await call(
			lower(`0x${pool.slice(26)}`),
			encode("increaseObservationCardinalityNext", [100]),
			searcher,
		);
		nextPosition += 1n;
	}
	/** Advances the chain's time. */
	async function pass(seconds: number): Promise<void> {
		await anvil.rpc("evm_increaseTime", [seconds]);
		await anvil.rpc("anvil_mine", ["0x1"]);
	}

	return {
		...{ anvil, accounts, send, call, own },
		addresses: { weth, factory, positions, swapRouter, quoter, token, usd, router, burner },
		who: { owner, keeper, payer, searcher },
		/** Deploys a second burner, of another token or keeper. */
		burnerOf: (of: Address, by: Address) => own("BuybackBurner", [owner, of, by, swapRouter]),
		openPool,
		openSided,
		/** Opens a deep pool of the token with each currency, and lets an average of its price form. */
		async openDeepPools(): Promise<void> {
			const sides = { token, fee: 3000, out: 10_000_000n * ETHER, observations: 400 } as const;
			await openPool({ ...sides, tokenIn: weth, in: 400n * ETHER });
			await openPool({ ...sides, tokenIn: usd, in: 1_000_000n * ETHER });
			await pass(4_000);
		},
		/** Makes the pool of a currency store this many price observations. */
		async keepObservations(tokenIn: Address, count: number, fee = 3000): Promise<void> {
			const pool = await read(factory, encode("getPool", [tokenIn, token, fee]));
			const to = lower(`0x${pool.slice(26)}`);
			await call(to, encode("increaseObservationCardinalityNext", [count]));
		},
		/** Removes all liquidity of a position. */
		async emptyPool(position: bigint): Promise<void> {
			const answer = await read(positions, encode("positions", [position]));
			const [, , , , , , , liquidity] = decodeFunctionResult({
				...{ abi: chainAbi, functionName: "positions", data: answer },
			});
			const params = { tokenId: position, liquidity, amount0Min: 0n, amount1Min: 0n };
			await call(positions, encode("decreaseLiquidity", [{ ...params, deadline: FOREVER }]));
		},
		/** Sends a token of the owner's. */
		give: (of: Address, to: Address, raw: bigint) => call(of, encode("transfer", [to, raw])),
		swapData: (swap: Swap) => swapOf(searcher, swap),
		/** Pays revenue in the coin or a token; a fifth of it is for burning. */
		async earn(raw: bigint, currency: Address = zeroAddress): Promise<void> {
			if (currency === zeroAddress) {
				await call(router, encode("deposit", [NO_SOURCE]), payer, raw);
				return;
			}
			await call(currency, encode("approve", [router, raw]));
			await call(router, encode("depositToken", [NO_SOURCE, currency, raw]));
		},
		/** Mints a token with an open mint: a revenue token, or a bad one. */
		mint: (of: Address, to: Address, raw: bigint) => call(of, encode("mint", [to, raw])),
		/** Allows pools to take a token from the owner. */
		allow: (of: Address) => call(of, encode("approve", [positions, 2n ** 200n])),
		/** Swaps as the searcher, through one pool. */
		swap: (swap: Swap) => call(swapRouter, swapOf(searcher, swap), searcher),
		setBalance: (account: Address, raw: bigint) =>
			anvil.rpc("anvil_setBalance", [account, toHex(raw)]),
		setPayee: (payee: Address) => call(router, encode("setPayee", [BURN_BUCKET, payee])),
		setMode: (of: Address, mode: number) => call(of, encode("setMode", [mode])),
		async balance(of: Address, account: Address): Promise<bigint> {
			if (of === zeroAddress) return BigInt(await anvil.rpc("eth_getBalance", [account, "latest"]));
			return BigInt(await read(of, encode("balanceOf", [account])));
		},
		allowance: async (of: Address, holder: Address, spender: Address) =>
			BigInt(await read(of, encode("allowance", [holder, spender]))),
		/** Returns the revenue in a currency for burning, over all time. */
		earned: async (of: Address) => BigInt(await read(router, encode("earned", [BURN_BUCKET, of]))),
		supply: async () => BigInt(await read(token, encode("totalSupply"))),
		pass,
		async timeMs(): Promise<number> {
			const block = await anvil.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
			return Number(block.timestamp) * 1_000;
		},
		async nonce(account: Address): Promise<number> {
			return Number(await anvil.rpc<Hex>("eth_getTransactionCount", [account, "latest"]));
		},
		/**
		 * Replaces the newest blocks by others with the same transactions, except the keeper's, whose
		 * raw bytes it returns.
		 */
		async reorg(depth: number): Promise<Hex[]> {
			// Otherwise a block that is being mined now would not be considered.
			await anvil.mined();
			const head = Number(await anvil.rpc<Hex>("eth_blockNumber"));
			const [kept, gone]: [[Hex, number][], Hex[]] = [[], []];
			for (let offset = 0; offset < depth; offset++) {
				const at = toHex(head - depth + 1 + offset);
				const { transactions } = await anvil.rpc<Block>("eth_getBlockByNumber", [at, true]);
				for (const { hash, from } of transactions) {
					const raw = await anvil.rpc<Hex>("eth_getRawTransactionByHash", [hash]);
					if (lower(from) === keeper) gone.push(raw);
					else kept.push([raw, offset]);
				}
			}
			await anvil.rpc("anvil_reorg", [depth, kept]);
			return gone;
		},
		/** Returns every burn that the chain has now. */
		async burns(): Promise<{ spent: bigint; burned: bigint }[]> {
			const logs = await anvil.rpc<{ data: Hex }[]>("eth_getLogs", [
				{ address: burner, fromBlock: "0x0", toBlock: "latest", topics: [BURNED] },
			]);
			return logs.map(({ data }) => ({ spent: wordAt(data, 0), burned: wordAt(data, 1) }));
		},
		async spentBy(paidWith: Address): Promise<bigint> {
			const topics = [BURNED, null, `0x${paidWith.slice(2).padStart(64, "0")}`];
			const logs = await anvil.rpc<{ data: Hex }[]>("eth_getLogs", [
				{ address: burner, fromBlock: "0x0", toBlock: "latest", topics },
			]);
			return logs.reduce((sum, { data }) => sum + wordAt(data, 0), 0n);
		},
	};
}

const [BURNED] = encodeEventTopics({ abi: chainAbi, eventName: "BoughtAndBurned" });

function encode(functionName: string, args: readonly unknown[] = []): Hex {
	return encodeFunctionData({ abi: chainAbi as Abi, functionName, args });
}

function swapOf(recipient: Address, { tokenIn, tokenOut, fee, raw }: Swap): Hex {
	const amounts = { amountIn: raw, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n };
	return encode("exactInputSingle", [{ tokenIn, tokenOut, fee, recipient, ...amounts }]);
}

/** Encodes a position's `mint`, which takes a struct; the ABI has a second `mint`. */
function mintData(params: object): Hex {
	const abi = chainAbi.filter((one) => one.type === "function" && one.name === "mint");
	return encodeFunctionData({ abi: abi.slice(1) as Abi, functionName: "mint", args: [params] });
}

function wordAt(data: Hex, place: number): bigint {
	return BigInt(`0x${data.slice(2 + place * 64, 66 + place * 64)}`);
}

function positionsCode(): Hex {
	const path =
		"@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json";
	return createRequire(import.meta.url)(path).bytecode;
}

function squareRoot(of: bigint): bigint {
	let root = 1n << BigInt((of.toString(2).length + 1) >> 1);
	for (;;) {
		const next = (root + of / root) >> 1n;
		if (next >= root) return root;
		root = next;
	}
}

function lower(address: string): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
