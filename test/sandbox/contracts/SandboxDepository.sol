// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Takes deposits for a bridge's orders: the entry points and events that the bridge provider publishes for its depository. Its solver alone takes money out.
contract SandboxDepository {
	using SafeERC20 for IERC20;

	event RelayNativeDeposit(address from, uint256 amount, bytes32 id);
	event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id);

	/// A constant, so that the code may be placed on a chain without a transaction.
	address public constant solver = 0x503D9f6d700f5500e1e9EB4f1d27F8724Ee91a6d;

	function depositNative(address depositor, bytes32 id) external payable {
		emit RelayNativeDeposit(creditedTo(depositor), msg.value, id);
	}

	function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external {
		IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
		emit RelayErc20Deposit(creditedTo(depositor), token, amount, id);
	}

	/// Money for a token of nobody is the chain's own coin.
	function payOut(address token, address to, uint256 amount) external {
		require(msg.sender == solver, "not the solver");
		if (token == address(0)) {
			(bool done, ) = to.call{value: amount}("");
			require(done, "not taken");
		} else IERC20(token).safeTransfer(to, amount);
	}

	function creditedTo(address depositor) private view returns (address) {
		return depositor == address(0) ? msg.sender : depositor;
	}
}
