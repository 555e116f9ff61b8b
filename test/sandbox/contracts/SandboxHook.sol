// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IV4Manager} from "./V4Maker.sol";

/// A hook that keeps a share of what each swap gives. Its address says so: it ends with afterSwap's two flags.
contract SandboxHook {
	struct Swap {
		bool zeroForOne;
		int256 amountSpecified;
		uint160 sqrtPriceLimitX96;
	}

	IV4Manager private immutable manager;
	uint256 private immutable bps;

	constructor(address manager_, uint256 bps_) {
		(manager, bps) = (IV4Manager(manager_), bps_);
	}

	function afterSwap(address, IV4Manager.Key calldata key, Swap calldata swap, int256 delta, bytes calldata)
		external
		returns (bytes4, int128)
	{
		bool isExactIn = swap.amountSpecified < 0;
		bool isCurrency0 = swap.zeroForOne != isExactIn;
		int128 amount = isCurrency0 ? int128(delta >> 128) : int128(delta);
		uint256 size = uint256(uint128(amount < 0 ? -amount : amount));
		uint256 kept = (size * bps) / 10_000;
		manager.take(isCurrency0 ? key.currency0 : key.currency1, address(this), kept);
		return (this.afterSwap.selector, int128(uint128(kept)));
	}
}
