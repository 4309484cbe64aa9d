"""Files as trees and texts, whatever they are about."""
