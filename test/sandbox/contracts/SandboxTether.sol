// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {SandboxDollar} from "./SandboxDollar.sol";

/// A dollar that takes a new allowance only in place of none, as the one on mainnet does.
contract SandboxTether is SandboxDollar {
	function approve(address spender, uint256 amount) public override returns (bool) {
		require(amount == 0 || allowance(msg.sender, spender) == 0, "an allowance stands");
		return super.approve(spender, amount);
	}
}
