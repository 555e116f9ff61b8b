// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface IV4Manager {
	struct Key {
		address currency0;
		address currency1;
		uint24 fee;
		int24 tickSpacing;
		address hooks;
	}

	struct Change {
		int24 lower;
		int24 upper;
		int256 liquidity;
		bytes32 salt;
	}

	function initialize(Key memory key, uint160 sqrtPriceX96) external returns (int24 tick);
	function unlock(bytes calldata data) external returns (bytes memory);
	function modifyLiquidity(Key memory key, Change memory change, bytes calldata data)
		external
		returns (int256 owed, int256 fees);
	struct Swap {
		bool zeroForOne;
		int256 amountSpecified;
		uint160 sqrtPriceLimitX96;
	}

	function swap(Key memory key, Swap memory params, bytes calldata data) external returns (int256 delta);
	function sync(address currency) external;
	function settle() external payable returns (uint256);
	function take(address currency, address to, uint256 value) external;
}

interface IV4View {
	function getSlot0(bytes32 id) external view returns (uint160 sqrtPriceX96, int24, uint24, uint24);
}

/// Opens V4 pools, with liquidity or without, and moves their prices.
abstract contract V4Maker {
	struct Opening4 {
		IV4Manager.Key key;
		uint160 sqrtPriceX96;
		int24 lower;
		int24 upper;
		uint128 liquidity;
	}

	struct Move4 {
		IV4Manager.Key key;
		uint160 sqrtPriceX96;
	}

	int256 private constant ANY_AMOUNT = -(2 ** 120);
	IV4Manager public immutable manager;
	IV4View public immutable stateView;

	error NotManager();

	constructor(address manager_, address view_) {
		(manager, stateView) = (IV4Manager(manager_), IV4View(view_));
	}

	function openAll(Opening4[] calldata openings) internal {
		for (uint256 i = 0; i < openings.length; i++) {
			manager.initialize(openings[i].key, openings[i].sqrtPriceX96);
			if (openings[i].liquidity > 0) manager.unlock(abi.encode(true, abi.encode(openings[i])));
		}
	}

	function moveAll(Move4[] calldata moves) internal {
		for (uint256 i = 0; i < moves.length; i++) {
			(uint160 at, , , ) = stateView.getSlot0(keccak256(abi.encode(moves[i].key)));
			if (at == moves[i].sqrtPriceX96) continue;
			manager.unlock(abi.encode(false, abi.encode(moves[i], moves[i].sqrtPriceX96 < at)));
		}
	}

	function unlockCallback(bytes calldata data) external returns (bytes memory) {
		if (msg.sender != address(manager)) revert NotManager();
		(bool opens, bytes memory more) = abi.decode(data, (bool, bytes));
		if (opens) {
			Opening4 memory one = abi.decode(more, (Opening4));
			IV4Manager.Change memory change = IV4Manager.Change(one.lower, one.upper, int256(uint256(one.liquidity)), 0);
			(int256 owed, ) = manager.modifyLiquidity(one.key, change, "");
			settleBoth(one.key, owed);
		} else {
			(Move4 memory move_, bool down) = abi.decode(more, (Move4, bool));
			IV4Manager.Swap memory params = IV4Manager.Swap(down, ANY_AMOUNT, move_.sqrtPriceX96);
			settleBoth(move_.key, manager.swap(move_.key, params, ""));
		}
		return "";
	}

	function settleBoth(IV4Manager.Key memory key, int256 delta) private {
		settle(key.currency0, int128(delta >> 128));
		settle(key.currency1, int128(delta));
	}

	/// What is owed is below zero; what is above is taken.
	function settle(address currency, int128 owed) private {
		if (owed > 0) manager.take(currency, address(this), uint256(uint128(owed)));
		if (owed >= 0) return;
		manager.sync(currency);
		give(currency, uint256(uint128(-owed)));
		manager.settle();
	}

	/// Pays who asks, with what it mints.
	function give(address token, uint256 value) internal virtual;
}
