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
	function sync(address currency) external;
	function settle() external payable returns (uint256);
	function take(address currency, address to, uint256 value) external;
}

/// Opens V4 pools, with liquidity or without.
abstract contract V4Maker {
	struct Opening4 {
		IV4Manager.Key key;
		uint160 sqrtPriceX96;
		int24 lower;
		int24 upper;
		uint128 liquidity;
	}

	IV4Manager public immutable manager;

	error NotManager();

	constructor(address manager_) {
		manager = IV4Manager(manager_);
	}

	function openAll(Opening4[] calldata openings) internal {
		for (uint256 i = 0; i < openings.length; i++) {
			manager.initialize(openings[i].key, openings[i].sqrtPriceX96);
			if (openings[i].liquidity > 0) manager.unlock(abi.encode(openings[i]));
		}
	}

	function unlockCallback(bytes calldata data) external returns (bytes memory) {
		if (msg.sender != address(manager)) revert NotManager();
		Opening4 memory one = abi.decode(data, (Opening4));
		IV4Manager.Change memory change = IV4Manager.Change(one.lower, one.upper, int256(uint256(one.liquidity)), 0);
		(int256 owed, ) = manager.modifyLiquidity(one.key, change, "");
		settle(one.key.currency0, int128(owed >> 128));
		settle(one.key.currency1, int128(owed));
		return "";
	}

	/// What is owed is below zero.
	function settle(address currency, int128 owed) private {
		if (owed >= 0) return;
		manager.sync(currency);
		give(currency, uint256(uint128(-owed)));
		manager.settle();
	}

	/// Pays who asks, with what it mints.
	function give(address token, uint256 value) internal virtual;
}
