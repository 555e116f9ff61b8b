// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {V4Maker} from "./V4Maker.sol";

interface IMintable {
	function mint(address to, uint256 value) external;
}

interface IWrapped {
	function deposit() external payable;
	function transfer(address to, uint256 value) external returns (bool);
}

interface IFeed {
	function publish(int256 answer, uint256 updatedAt) external;
}

interface IV3Factory {
	function createPool(address tokenA, address tokenB, uint24 fee) external returns (address);
	function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address);
}

interface IV3Pool {
	function token0() external view returns (address);
	function token1() external view returns (address);
	function fee() external view returns (uint24);
	function slot0() external view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool);
	function initialize(uint160 sqrtPriceX96) external;
	function mint(address to, int24 lower, int24 upper, uint128 amount, bytes calldata data) external;
	function burn(int24 lower, int24 upper, uint128 amount) external;
	function collect(address to, int24 lower, int24 upper, uint128 max0, uint128 max1) external;
	function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data) external;
}

/// Opens pools and keeps their liquidity: it mints what it pays with, so it is never short of it.
contract StockMaker is V4Maker {
	struct Span {
		int24 lower;
		int24 upper;
		uint128 liquidity;
	}

	struct Kept {
		int24 lower;
		int24 upper;
		uint128 full;
		uint128 left;
	}

	struct Move {
		address pool;
		uint160 sqrtPriceX96;
	}

	struct Round {
		address feed;
		int256 answer;
	}

	struct Opening {
		address tokenA;
		address tokenB;
		uint24 fee;
		uint160 sqrtPriceX96;
		Span[] spans;
	}

	address public immutable issuer;
	address public immutable weth;
	IV3Factory public immutable factory;
	mapping(address pool => Kept[]) private keptIn;

	error NotIssuer();
	error NotPool();

	constructor(
		address issuer_,
		address weth_,
		address factory_,
		address manager_,
		address view_
	) V4Maker(manager_, view_) {
		(issuer, weth, factory) = (issuer_, weth_, IV3Factory(factory_));
	}

	receive() external payable {}

	modifier onlyIssuer() {
		if (msg.sender != issuer) revert NotIssuer();
		_;
	}

	function open(Opening[] calldata openings) external onlyIssuer {
		for (uint256 i = 0; i < openings.length; i++) {
			Opening calldata one = openings[i];
			IV3Pool pool = IV3Pool(factory.createPool(one.tokenA, one.tokenB, one.fee));
			pool.initialize(one.sqrtPriceX96);
			for (uint256 j = 0; j < one.spans.length; j++) {
				Span calldata span = one.spans[j];
				keptIn[address(pool)].push(Kept(span.lower, span.upper, span.liquidity, span.liquidity));
				pool.mint(address(this), span.lower, span.upper, span.liquidity, "");
			}
		}
	}

	function openV4(Opening4[] calldata openings) external onlyIssuer {
		openAll(openings);
	}

	/// Swaps until each pool stands at its price, whatever that takes; then publishes rounds.
	function move(Move[] calldata moves, Move4[] calldata moves4, Round[] calldata rounds) external onlyIssuer {
		moveAll(moves4);
		for (uint256 i = 0; i < moves.length; i++) {
			IV3Pool pool = IV3Pool(moves[i].pool);
			(uint160 at, , , , , , ) = pool.slot0();
			uint160 to = moves[i].sqrtPriceX96;
			if (at != to) pool.swap(address(this), to < at, type(int256).max, to, "");
		}
		for (uint256 i = 0; i < rounds.length; i++) IFeed(rounds[i].feed).publish(rounds[i].answer, 0);
	}

	/// Leaves each span so many hundredths of a per cent of its first liquidity; 10,000 fills it up.
	function keep(address at, uint256 bps) external onlyIssuer {
		Kept[] storage spans = keptIn[at];
		for (uint256 i = 0; i < spans.length; i++) {
			Kept memory span = spans[i];
			uint128 wanted = uint128((uint256(span.full) * bps) / 10_000);
			spans[i].left = wanted;
			if (wanted > span.left) {
				IV3Pool(at).mint(address(this), span.lower, span.upper, wanted - span.left, "");
			} else if (wanted < span.left) {
				IV3Pool(at).burn(span.lower, span.upper, span.left - wanted);
				IV3Pool(at).collect(address(this), span.lower, span.upper, type(uint128).max, type(uint128).max);
			}
		}
	}

	function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata) external {
		pay(int256(owed0), int256(owed1));
	}

	function uniswapV3SwapCallback(int256 owed0, int256 owed1, bytes calldata) external {
		pay(owed0, owed1);
	}

	/// A pool asks in the middle of its own mint or swap; nobody else may.
	function pay(int256 owed0, int256 owed1) private {
		IV3Pool pool = IV3Pool(msg.sender);
		(address token0, address token1) = (pool.token0(), pool.token1());
		if (factory.getPool(token0, token1, pool.fee()) != msg.sender) revert NotPool();
		if (owed0 > 0) give(token0, uint256(owed0));
		if (owed1 > 0) give(token1, uint256(owed1));
	}

	function give(address token, uint256 value) internal virtual override {
		if (token != weth) return IMintable(token).mint(msg.sender, value);
		IWrapped(weth).deposit{value: value}();
		IWrapped(weth).transfer(msg.sender, value);
	}
}
