// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A dollar of the world: without its feed, sales paid in it have a raw amount and no rate. Its mints share Transfer's topic with ERC-721.
contract SandboxCoin is ERC20 {
	constructor() ERC20("Lantern Credit", "LNTRN") {}

	function decimals() public pure override returns (uint8) {
		return 6;
	}

	function mint(address to, uint256 amount) external {
		_mint(to, amount);
	}
}
