import { parseAbi } from "viem";

/** Functions of a stock, of USDG and of the bad tokens, which are one contract. */
export const stockAbi = parseAbi([
	"function name() view returns (string)",
	"function symbol() view returns (string)",
	"function decimals() view returns (uint8)",
	"function totalSupply() view returns (uint256)",
	"function balanceOf(address account) view returns (uint256)",
	"function allowance(address owner, address spender) view returns (uint256)",
	"function approve(address spender, uint256 value) returns (bool)",
	"function transfer(address to, uint256 value) returns (bool)",
	"function transferFrom(address from, address to, uint256 value) returns (bool)",
	"function mint(address to, uint256 value)",
	"function paused() view returns (bool)",
	"function isBlocked(address account) view returns (bool)",
	"function setFee(uint256 bps)",
	"function setPaused(bool to)",
	"function setBlocked(address account, bool to)",
	"function rebase(uint256 toIndex)",
	"function rename(string toSymbol)",
	"function uiMultiplier() view returns (uint256)",
	"function newUIMultiplier() view returns (uint256)",
	"function effectiveAt() view returns (uint256)",
	"function toUIAmount(uint256 raw) view returns (uint256)",
	"function fromUIAmount(uint256 shown) view returns (uint256)",
	"function balanceOfUI(address account) view returns (uint256)",
	"function totalSupplyUI() view returns (uint256)",
	"function getUserRawBalance(address account) view returns (uint256)",
	"function getUserUIBalance(address account) view returns (uint256)",
	"function supportsInterface(bytes4 id) view returns (bool)",
	"function oraclePaused() view returns (bool)",
	"function setMultiplier(uint256 to, uint256 atS)",
	"function setOraclePaused(bool to)",
	"event Transfer(address indexed from, address indexed to, uint256 value)",
	"event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 effectiveAt)",
]);

export const stockFactoryAbi = parseAbi([
	"function deploy(bytes32 uid, string name, string symbol, uint8 decimals, uint256 multiplier, address maker)",
	"event Deployed(bytes32 indexed uid, address stock, string name, string symbol)",
]);

export const stockFeedAbi = parseAbi([
	"constructor(string about, uint8 decimals)",
	"function publish(int256 answer, uint256 updatedAt)",
	"function setDead(bool to)",
	"function decimals() view returns (uint8)",
	"function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
]);

export const makerAbi = parseAbi([
	"constructor(address issuer, address weth, address factory, address manager, address stateView)",
	"struct Span { int24 lower; int24 upper; uint128 liquidity; }",
	"struct Opening { address tokenA; address tokenB; uint24 fee; uint160 sqrtPriceX96; Span[] spans; }",
	"function open(Opening[] openings)",
	"struct Move { address pool; uint160 sqrtPriceX96; }",
	"struct Round { address feed; int256 answer; }",
	"struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }",
	"struct Move4 { Key key; uint160 sqrtPriceX96; }",
	"function move(Move[] moves, Move4[] moves4, Round[] rounds)",
	"function keep(address pool, uint256 bps)",
	"struct Opening4 { Key key; uint160 sqrtPriceX96; int24 lower; int24 upper; uint128 liquidity; }",
	"function openV4(Opening4[] openings)",
]);

/** Uniswap's functions that this world and its tests use. */
export const uniswapAbi = parseAbi([
	"function enableFeeAmount(uint24 fee, int24 tickSpacing)",
	"function getPool(address tokenA, address tokenB, uint24 fee) view returns (address)",
	"function liquidity() view returns (uint128)",
	"function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)",
	"struct QuoteIn { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }",
	"function quoteExactInputSingle(QuoteIn params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 ticksCrossed, uint256 gasEstimate)",
	"function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPricesX96After, uint32[] ticksCrossed, uint256 gasEstimate)",
	"function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPricesX96After, uint32[] ticksCrossed, uint256 gasEstimate)",
	"struct SwapIn { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
	"function exactInput(SwapIn params) payable returns (uint256 amountOut)",
	"struct SwapOut { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }",
	"function exactOutput(SwapOut params) payable returns (uint256 amountIn)",
]);

/** Uniswap V4's quoter and the view of its pools. */
export const v4Abi = parseAbi([
	"struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }",
	"struct QuoteSingle { Key poolKey; bool zeroForOne; uint128 exactAmount; bytes hookData; }",
	"function quoteExactInputSingle(QuoteSingle params) returns (uint256 amountOut, uint256 gasEstimate)",
	"function quoteExactOutputSingle(QuoteSingle params) returns (uint256 amountIn, uint256 gasEstimate)",
	"function getSlot0(bytes32 id) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)",
	"function getLiquidity(bytes32 id) view returns (uint128)",
]);
